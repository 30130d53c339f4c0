//! `nsclass`.

fn main() -> std::process::ExitCode {
    nsclass_cli::run("nsclass")
}
