//! Informed swarm, and campaigns over a cluster.
//!
//! [`cluster`] carries jobs and results between a coordinator and any number of workers over NATS JetStream. It knows
//! nothing of models: what the jobs are sits behind [`cluster::Logic`], how they are done behind [`cluster::Labour`].

#![forbid(unsafe_code)]

pub mod cluster;
