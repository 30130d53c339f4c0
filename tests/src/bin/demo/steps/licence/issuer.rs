//! Who issues the licences of the demo, with the command that everybody has.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use nsclass_tests::install::apply_yaml;
use nsclass_tests::{GENEROUS, Program};
use tempfile::TempDir;

use super::say_lines;
use crate::demo::Demo;
use crate::stage::Stage;

/// A directory with a private key.
pub struct Issuer {
    dir: TempDir,
    public_key: String,
    kubeconfig: PathBuf,
}

impl Issuer {
    /// Makes the keys.
    pub async fn new(stage: &Stage) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("nsclass-issuer-").tempdir()?;
        let issuer = Self { dir, public_key: String::new(), kubeconfig: stage.kubeconfig.clone() };
        let printed = issuer.nsclass(&["licence", "keygen", "--key", &issuer.key()]).await?;
        Ok(Self { public_key: printed.trim().to_owned(), ..issuer })
    }

    /// As it was printed.
    pub fn public_key(&self) -> &str {
        &self.public_key
    }

    /// Issues a licence, and puts it into the cluster in place of the one before.
    pub async fn put(&self, demo: &Demo<'_>, lasts: &[&str]) -> Result<()> {
        let (key, lasting) = (self.key(), lasts.join(" "));
        demo.screen.command(&format!(
            "nsclass licence issue --key issuer.pem --holder 'Team Blue' {lasting} -o secret |\n       kubectl apply -f -"
        ));
        let args = [&["licence", "issue", "--key", &key, "--holder", "Team Blue", "-o", "secret"], lasts].concat();
        apply_yaml(&demo.cluster.client(), &self.nsclass(&args).await?).await?;
        Ok(())
    }

    /// `nsclass licence show`, and what it must say.
    pub async fn show(&self, demo: &Demo<'_>, state: &str) -> Result<()> {
        demo.screen.command("nsclass licence show");
        let told = demo
            .claim(
                format!("the state is {state}, and it is told what is done, what would change, and when"),
                async || {
                    let told = self.nsclass(&["licence", "show"]).await?;
                    ensure!(told.contains(&format!("state:    {state}\n")), "{told}");
                    Ok(told)
                },
            )
            .await?;
        say_lines(demo, &told);
        Ok(())
    }

    /// Runs the command; returns what it prints.
    pub async fn nsclass(&self, args: &[&str]) -> Result<String> {
        let program = Program::named("nsclass").args(args).env("KUBECONFIG", &self.kubeconfig).start().await?;
        let status = program.wait(GENEROUS).await?;
        ensure!(status.success(), "nsclass {}: {status}: {}", args.join(" "), program.stderr()?);
        program.stdout()
    }

    fn key(&self) -> String {
        self.dir.path().join("issuer.pem").display().to_string()
    }
}
