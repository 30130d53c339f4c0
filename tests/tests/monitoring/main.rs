//! Alerts and dashboard: that each alert fires and stays silent, that every query asks for what the processes show, and that each
//! alert is explained where it says it is.

mod dashboard;
mod expression;
mod rules;
mod scenarios;
mod series;
mod texts;
