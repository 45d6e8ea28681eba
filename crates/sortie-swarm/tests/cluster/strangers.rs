//! Messages that nobody asked for, and things that vanish.

use crate::server::Server;
use crate::toy::{Adders, Sum};
use crate::{TASK, check, hasty, options, threads};
use bytes::Bytes;
use sortie_swarm::cluster::{ClusterOptions, Notice, Wish, coordinate, status, work};
use std::sync::mpsc;

/// Does something with a connection of its own.
fn with_client<F: Future<Output = ()>>(
    cluster: &ClusterOptions,
    act: impl FnOnce(async_nats::jetstream::Context) -> F,
) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(&cluster.servers[0]).await.unwrap();
        act(async_nats::jetstream::new(client)).await;
    });
}

fn envelope(version: u8, kind: u8, campaign: u128, job: u64, rest: &[u8]) -> Vec<u8> {
    let mut out = b"sortie".to_vec();
    out.extend([version, kind]);
    out.extend(campaign.to_le_bytes());
    out.extend(job.to_le_bytes());
    out.extend(0u64.to_le_bytes());
    out.extend(rest);
    out
}

/// A chunk that claims to be one of two of a result of `total` bytes.
fn chunk(campaign: u128, total: u64, bytes: usize) -> Vec<u8> {
    let mut rest = 5u128.to_le_bytes().to_vec();
    rest.extend(0u32.to_le_bytes());
    rest.extend(2u32.to_le_bytes());
    rest.extend(total.to_le_bytes());
    rest.extend(0u128.to_le_bytes());
    rest.extend(vec![b'.'; bytes]);
    envelope(1, 4, campaign, 0, &rest)
}

#[test]
fn messages_from_strangers_are_rejected_and_counted() {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let mut cluster = options(&server);
    cluster.limits.message = 4096;
    let (tell, told) = mpsc::channel();
    let mut sum = Sum::new(&TASK);
    let cluster = &cluster;
    let outcome = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            told.recv().unwrap();
            let campaign = u128::from_str_radix(&status(cluster).unwrap().campaign, 16).unwrap();
            let results = [
                b"".to_vec(),
                b"hello".to_vec(),
                vec![0xff; 3000],
                envelope(1, 2, campaign, 0, &vec![b'.'; 8000]), // too large
                envelope(9, 2, campaign, 0, b"{}"),             // another version
                envelope(1, 9, campaign, 0, b"{}"),             // no such kind
                envelope(1, 2, campaign ^ 1, 0, b"{}"),         // another campaign
                envelope(1, 1, campaign, 0, b"{}"),             // a job among results
                envelope(1, 2, campaign, 1 << 40, b"{}"),       // a result of no job
                chunk(campaign, u64::MAX, 2000),                // larger than any result
                chunk(campaign, 3000, 10),                      // a small first chunk
            ];
            let strange = results.len() as u64 + 2;
            with_client(cluster, |jetstream| async move {
                for result in results {
                    let sent = jetstream.publish("toy.results", result.into()).await;
                    sent.unwrap().await.unwrap();
                }
                for (i, job) in [b"do it".to_vec(), envelope(1, 2, campaign, 0, b"")]
                    .into_iter()
                    .enumerate()
                {
                    let sent = jetstream.publish(format!("toy.jobs.{i}"), job.into()).await;
                    sent.unwrap().await.unwrap();
                }
                for announcement in ["not json", r#"{"format": 77, "name": "x"}"#] {
                    let sent = jetstream
                        .publish("$KV.toy-state.workers.x", Bytes::from(announcement))
                        .await;
                    sent.unwrap().await.unwrap();
                }
            });
            let report = work(
                cluster,
                &threads(1),
                &Adders::plain(),
                &|| false,
                &mut |_| {},
            )
            .unwrap();
            assert_eq!(report.rejected, 2);
            strange
        });
        let outcome = coordinate(cluster, &hasty(), &mut sum, &mut |notice| {
            if let Notice::Progress(progress) = notice
                && progress.out > 0
            {
                let _ = tell.send(());
            }
            Wish::GoOn
        });
        let outcome = outcome.unwrap();
        assert_eq!(outcome.tally.rejected, worker.join().unwrap());
        outcome
    });
    check(&outcome, &sum, &TASK);
    assert_eq!(
        status(cluster).unwrap().tally.rejected,
        outcome.tally.rejected
    );
}

/// Things to delete behind the coordinator's back, once some results are in.
fn deleted(streams: &'static [&'static str], consumers: &'static [(&'static str, &'static str)]) {
    let Some(server) = Server::started(&[]) else {
        return;
    };
    let cluster = options(&server);
    let mut sum = Sum::new(&TASK);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            work(
                &cluster,
                &threads(1),
                &Adders::plain(),
                &|| false,
                &mut |_| {},
            )
            .unwrap()
        });
        let mut vandal = None;
        coordinate(&cluster, &hasty(), &mut sum, &mut |notice| {
            if let Notice::Progress(progress) = notice
                && progress.tally.results > 5
                && vandal.is_none()
            {
                vandal = Some(());
                std::thread::scope(|now| {
                    now.spawn(|| {
                        with_client(&cluster, |jetstream| async move {
                            for stream in streams {
                                jetstream.delete_stream(stream).await.unwrap();
                            }
                            for (stream, consumer) in consumers {
                                jetstream
                                    .delete_consumer_from_stream(consumer, stream)
                                    .await
                                    .unwrap();
                            }
                        });
                    });
                });
            }
            Wish::GoOn
        })
        .unwrap()
    });
    check(&outcome, &sum, &TASK);
}

#[test]
fn deleted_streams_are_made_again() {
    deleted(&["toy-jobs", "toy-results"], &[]);
}

#[test]
fn a_deleted_bucket_is_made_again() {
    deleted(&["KV_toy-state"], &[]);
}

#[test]
fn deleted_consumers_are_made_again() {
    deleted(
        &[],
        &[("toy-jobs", "workers"), ("toy-results", "coordinator")],
    );
}
