//! A small world for electors: one Lease behind compare-and-swap, processes with clocks of their own, and a network that delays and loses.

use std::{collections::VecDeque, time::Duration};

use nsclass_shared::lease::{Action, Answer, Elector, Moment, Record, Timing, Write};

/// Real time between two looks at the world.
const TICK: Duration = Duration::from_millis(10);

const TIMING: Timing = Timing {
    lease: Duration::from_secs(15),
    renew_deadline: Duration::from_secs(10),
    retry_period: Duration::from_secs(2),
    request_timeout: Duration::from_secs(3),
};

/// What goes wrong. Shares are in a hundred.
#[derive(Clone, Debug)]
pub struct Faults {
    /// Of each process: thousandths of real time that its clock advances, and where it starts, in milliseconds.
    pub clocks: Vec<(u32, u64)>,
    /// Requests that never arrive.
    pub lost: u8,
    /// Requests that are done and whose answer never arrives.
    pub lost_answers: u8,
    /// Events of the watch that never arrive.
    pub watch_lost: u8,
    /// Pauses, crashes and releases, in ten thousand ticks.
    pub upsets: u8,
    /// Longest way of a request, and of its answer.
    pub longest_delay: Duration,
    /// Of the dice.
    pub seed: u64,
}

/// One process.
struct Process {
    elector: Elector,
    rate: u32,
    start: u64,
    /// Stands still until then.
    paused_until: Duration,
    /// Sent by its own clock, with what will arrive; none while it waits for nothing.
    pending: Option<(Moment, Vec<Arrival>)>,
    /// When its request gives up, by its own clock.
    gives_up: Moment,
    ended: bool,
}

enum Arrival {
    AtServer(Duration, Request),
    AtProcess(Duration, Reply),
}

#[derive(Clone)]
enum Request {
    Read,
    Write(Write),
}

enum Reply {
    Read(Option<Record>),
    Write(Answer),
}

/// Everything.
pub struct World {
    now: Duration,
    faults: Faults,
    timing: Timing,
    dice: u64,
    lease: Option<Record>,
    revision: u64,
    processes: Vec<Process>,
    /// Requests that were given up on and still travel: they may be done all the same.
    stray: Vec<Arrival>,
    /// Events on their way: when, to which process.
    events: VecDeque<(Duration, usize, Record)>,
    born: u32,
    story: Vec<String>,
}

impl World {
    pub fn new(faults: &Faults) -> Self {
        Self::with_renew_deadline(faults, TIMING.renew_deadline)
    }

    pub fn with_renew_deadline(faults: &Faults, renew_deadline: Duration) -> Self {
        let mut world = Self {
            now: Duration::from_secs(1_000),
            faults: faults.clone(),
            timing: Timing { renew_deadline, ..TIMING },
            dice: faults.seed,
            lease: None,
            revision: 0,
            processes: Vec::new(),
            stray: Vec::new(),
            events: VecDeque::new(),
            born: 0,
            story: Vec::new(),
        };
        for (rate, start) in faults.clocks.clone() {
            let process = world.born(rate, start);
            world.processes.push(process);
        }
        world
    }

    pub fn now(&self) -> Duration {
        self.now
    }

    pub fn story(&self) -> String {
        self.story.join("\n")
    }

    /// Who believes to lead at this instant, by its own clock, also while it stands still.
    pub fn believers(&self) -> Vec<String> {
        let believes = |p: &&Process| !p.ended && p.elector.leads_until().is_some_and(|until| self.clock(p) < until);
        self.processes.iter().filter(believes).map(|p| p.elector.identity().to_owned()).collect()
    }

    /// No more faults.
    pub fn heal(&mut self) {
        self.faults = Faults {
            lost: 0,
            lost_answers: 0,
            watch_lost: 0,
            upsets: 0,
            longest_delay: Duration::from_millis(20),
            ..self.faults.clone()
        };
        for process in &mut self.processes {
            process.paused_until = self.now;
        }
    }

    /// One tick.
    pub fn step(&mut self) {
        self.now += TICK;
        self.deliver_stray();
        self.deliver_events();
        for index in 0..self.processes.len() {
            self.upset(index);
            self.at_server(index);
            if self.processes[index].paused_until <= self.now {
                self.run(index);
            }
        }
    }

    fn born(&mut self, rate: u32, start: u64) -> Process {
        self.born += 1;
        Process {
            elector: Elector::new(format!("p{}", self.born), self.timing),
            rate,
            start,
            paused_until: Duration::ZERO,
            pending: None,
            gives_up: Moment::default(),
            ended: false,
        }
    }

    fn clock(&self, process: &Process) -> Moment {
        Moment(Duration::from_millis(process.start) + self.now * process.rate / 1000)
    }

    fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.dice = self.dice.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.dice;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn happens(&mut self, share: u8) -> bool {
        self.roll(100) < u64::from(share)
    }

    fn delay(&mut self) -> Duration {
        let millis = self.faults.longest_delay.as_millis().try_into().unwrap_or(u64::MAX - 1);
        Duration::from_millis(self.roll(millis + 1))
    }

    /// A process stands still, is killed and made anew, or is asked to end.
    fn upset(&mut self, index: usize) {
        if self.roll(10_000) >= u64::from(self.faults.upsets) {
            return;
        }
        match self.roll(3) {
            0 => {
                let span = Duration::from_millis(self.roll(40_000));
                self.processes[index].paused_until = self.now + span;
                self.tell(index, &format!("stands still for {span:?}"));
            }
            1 => {
                self.tell(index, "is killed");
                self.replace(index);
            }
            _ => {
                self.tell(index, "is asked to end");
                if let Some(write) = self.processes[index].elector.release() {
                    let at = self.now + self.delay();
                    self.stray.push(Arrival::AtServer(at, Request::Write(write)));
                }
                self.replace(index);
            }
        }
    }

    /// The same machine, another process.
    fn replace(&mut self, index: usize) {
        let (rate, start) = (self.processes[index].rate, self.processes[index].start);
        let next = self.born(rate, start);
        let old = std::mem::replace(&mut self.processes[index], next);
        if let Some((_, arrivals)) = old.pending {
            self.stray.extend(arrivals);
        }
        self.events.retain(|(_, to, _)| *to != index);
    }

    fn at_server(&mut self, index: usize) {
        let Some((_, arrivals)) = &mut self.processes[index].pending else { return };
        let due = arrivals.iter().position(|it| matches!(it, Arrival::AtServer(at, _) if *at <= self.now));
        let Some(Arrival::AtServer(_, request)) = due.map(|due| arrivals.remove(due)) else { return };
        let reply = self.serve(&request);
        let (lost, delay) = (self.faults.lost_answers, self.delay());
        if !self.happens(lost)
            && let Some((_, arrivals)) = &mut self.processes[index].pending
        {
            arrivals.push(Arrival::AtProcess(self.now + delay, reply));
        }
    }

    fn deliver_stray(&mut self) {
        for arrival in std::mem::take(&mut self.stray) {
            match arrival {
                Arrival::AtServer(at, request) if at <= self.now => drop(self.serve(&request)),
                Arrival::AtServer(..) => self.stray.push(arrival),
                Arrival::AtProcess(..) => {}
            }
        }
    }

    fn deliver_events(&mut self) {
        let (due, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.events)
            .into_iter()
            .partition(|(at, index, _)| *at <= self.now && self.processes[*index].paused_until <= self.now);
        self.events = later.into();
        for (_, index, record) in due {
            let now = self.clock(&self.processes[index]);
            self.processes[index].elector.told(now, record, false);
        }
    }

    fn serve(&mut self, request: &Request) -> Reply {
        let write = match request {
            Request::Read => return Reply::Read(self.lease.clone()),
            Request::Write(write) => write,
        };
        if write.over.as_ref() != self.lease.as_ref().map(|lease| &lease.version) {
            return Reply::Write(Answer::Conflict);
        }
        self.revision += 1;
        let record = Record {
            version: self.revision.to_string(),
            holder: write.holder.clone(),
            duration: Some(write.duration),
            transitions: write.transitions,
            acquired: write.acquired,
            released: false,
        };
        self.story.push(format!("{:?} server: {record:?}", self.now));
        self.lease = Some(record.clone());
        for index in 0..self.processes.len() {
            let (lost, delay) = (self.faults.watch_lost, self.delay());
            if !self.happens(lost) {
                self.events.push_back((self.now + delay, index, record.clone()));
            }
        }
        Reply::Write(Answer::Written(record))
    }

    /// What the process's own loop does.
    fn run(&mut self, index: usize) {
        let now = self.clock(&self.processes[index]);
        if let Some((sent, mut arrivals)) = self.processes[index].pending.take() {
            let due = arrivals.iter().position(|it| matches!(it, Arrival::AtProcess(at, _) if *at <= self.now));
            let reply = due.map(|due| arrivals.remove(due));
            let process = &mut self.processes[index];
            match reply {
                Some(Arrival::AtProcess(_, Reply::Read(found))) => process.elector.read(now, found),
                Some(Arrival::AtProcess(_, Reply::Write(answer))) => process.elector.answered(sent, now, answer),
                _ if process.gives_up <= now => {
                    process.elector.answered(sent, now, Answer::Failed);
                    self.stray.extend(arrivals);
                }
                _ => process.pending = Some((sent, arrivals)),
            }
        }
        if self.processes[index].pending.is_some() {
            return;
        }
        match self.processes[index].elector.next(now) {
            Action::Wait(_) => {}
            Action::Read => self.send(index, now, Request::Read),
            Action::Write(write) => self.send(index, now, Request::Write(write)),
            Action::Stop(lost) => {
                self.tell(index, &lost.to_string());
                self.processes[index].ended = true;
                self.replace(index);
            }
        }
    }

    fn send(&mut self, index: usize, now: Moment, request: Request) {
        let (lost, delay) = (self.faults.lost, self.delay());
        let arrivals = if self.happens(lost) { Vec::new() } else { vec![Arrival::AtServer(self.now + delay, request)] };
        let process = &mut self.processes[index];
        process.pending = Some((now, arrivals));
        process.gives_up = now + self.timing.request_timeout;
    }

    fn tell(&mut self, index: usize, what: &str) {
        self.story.push(format!("{:?} {}: {what}", self.now, self.processes[index].elector.identity()));
    }
}
