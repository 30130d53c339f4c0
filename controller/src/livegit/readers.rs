//! What the authors of rules may read (folders.md F58): asked when a rule starts, and again from time to time. The controller's own
//! rights are not lent.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    time::Duration,
};

use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use kube::{Api, Client, api::PostParams};
use nsclass_shared::livegit::{
    access::{Question, VERBS},
    world::{Access, May},
};
use tokio::time::{Instant, timeout};

/// How long an answer holds. A right that is taken away is noticed after that time, or when the rule starts again.
const HOLDS: Duration = Duration::from_secs(300);
/// How long a refusal holds: who grants what is missing waits for it.
const REFUSED_HOLDS: Duration = Duration::from_secs(10);
/// Longest wait for the answers to one question.
const LONGEST: Duration = Duration::from_secs(10);

/// The answers so far.
#[derive(Debug, Default)]
pub struct Readers {
    answers: HashMap<Question, (May, Instant)>,
    /// Who is being asked about.
    asking: HashSet<Question>,
}

/// The answers, for one look at everything.
pub struct Answers<'a> {
    readers: &'a Readers,
    used: RefCell<HashSet<Question>>,
}

impl Readers {
    /// For one look.
    pub fn answers(&self) -> Answers<'_> {
        Answers { readers: self, used: RefCell::default() }
    }

    /// What to ask after a look that used these: what has no answer, or one that is too old. Answers that nobody used are forgotten, so
    /// that a rule which starts again is asked about again.
    pub fn due(&mut self, used: HashSet<Question>, now: Instant) -> Vec<Question> {
        self.answers.retain(|question, _| used.contains(question));
        let is_due = |question: &Question| {
            let holds = self.answers.get(question).is_some_and(|(_, until)| now < *until);
            !holds && !self.asking.contains(question)
        };
        let due: Vec<Question> = used.into_iter().filter(is_due).collect();
        self.asking.extend(due.iter().cloned());
        due
    }

    /// Takes an answer. Without one, the last that there was stands until the next is there; a refusal of the question itself is told.
    pub fn answered(&mut self, question: Question, answer: Result<May, String>, now: Instant) {
        self.asking.remove(&question);
        match answer {
            Ok(may) => {
                let holds = if may == May::Yes { HOLDS } else { REFUSED_HOLDS };
                self.answers.insert(question, (may, now + holds));
            }
            Err(error) => {
                tracing::warn!(user = question.author.user, kind = %question.kind, error, "what an author may read is not known; it is asked again");
            }
        }
    }
}

impl Answers<'_> {
    /// The questions that came up.
    pub fn used(self) -> HashSet<Question> {
        self.used.into_inner()
    }
}

impl Access for Answers<'_> {
    fn may(&self, question: &Question) -> May {
        self.used.borrow_mut().insert(question.clone());
        self.readers.answers.get(question).map_or(May::Unknown, |(may, _)| may.clone())
    }
}

/// Asks the API server, one review for each verb.
///
/// # Errors
/// One of them got no answer: then nothing is known.
pub async fn ask(client: Client, question: &Question) -> Result<May, String> {
    let reviews: Api<SubjectAccessReview> = Api::all(client);
    let ask = async |verb: &'static str| {
        let review = SubjectAccessReview { spec: question.review(verb), ..SubjectAccessReview::default() };
        let answer = reviews.create(&PostParams::default(), &review).await.map_err(|error| error.to_string())?;
        let status = answer.status.ok_or("a SubjectAccessReview without status")?;
        Ok::<_, String>((!status.allowed).then_some(verb))
    };
    let all = futures::future::try_join_all(VERBS.map(ask));
    let lacks = timeout(LONGEST, all).await.map_err(|_| "no answer in time".to_owned())??;
    let lacks: Vec<&'static str> = lacks.into_iter().flatten().collect();
    Ok(if lacks.is_empty() { May::Yes } else { May::No(lacks) })
}

#[cfg(test)]
mod tests {
    use nsclass_shared::{api::Author, livegit::kinds::GroupResource};

    use super::*;

    fn question(resource: &str) -> Question {
        Question {
            author: Author { user: "jane".to_owned(), groups: vec![] },
            kind: GroupResource { group: String::new(), resource: resource.to_owned() },
            namespace: Some("pay".to_owned()),
        }
    }

    fn look(readers: &mut Readers, resources: &[&str], now: Instant) -> (Vec<May>, usize) {
        let answers = readers.answers();
        let said = resources.iter().map(|resource| answers.may(&question(resource))).collect();
        let used = answers.used();
        (said, readers.due(used, now).len())
    }

    #[test]
    fn f58_a_question_is_asked_once_and_again_when_its_answer_is_old_or_the_rule_starts_again() {
        let (mut readers, now) = (Readers::default(), Instant::now());
        assert_eq!(look(&mut readers, &["secrets"], now), (vec![May::Unknown], 1));
        assert_eq!(look(&mut readers, &["secrets"], now), (vec![May::Unknown], 0), "it is being asked");
        readers.answered(question("secrets"), Err("no route".to_owned()), now);
        assert_eq!(look(&mut readers, &["secrets"], now).1, 1);
        readers.answered(question("secrets"), Ok(May::Yes), now);
        assert_eq!(look(&mut readers, &["secrets"], now), (vec![May::Yes], 0));
        // Too old: asked again, and what was known stands until the answer is there.
        let later = now + HOLDS;
        assert_eq!(look(&mut readers, &["secrets"], later), (vec![May::Yes], 1));
        readers.answered(question("secrets"), Ok(May::No(vec!["list"])), later);
        assert_eq!(look(&mut readers, &["secrets"], later), (vec![May::No(vec!["list"])], 0));
        // Who was refused is asked about sooner.
        assert_eq!(look(&mut readers, &["secrets"], later + REFUSED_HOLDS).1, 1);
        readers.answered(question("secrets"), Ok(May::No(vec!["list"])), later);
        // The rule was away for one look.
        assert_eq!(look(&mut readers, &[], later), (vec![], 0));
        assert_eq!(look(&mut readers, &["secrets"], later), (vec![May::Unknown], 1));
    }
}
