//! Streams the progress of work to its task: pieces at an interval, redacted where the stream is still whole. What takes too long to be
//! searched for secrets is withheld, with all that follows: a secret may have begun in it.

use std::sync::Arc;
use std::time::Duration;

use aside_task::event::OutputChannel;
use aside_task::input::Input;
use aside_task::redact_log::{Hold, Stream};
use tokio::sync::{mpsc, watch};

use crate::daemon::tasks::actor::message::{Event, Message};
use crate::text_work;

/// The streamed text of a task.
pub type Pieces = Arc<watch::Sender<String>>;

/// Interval between two pieces of streamed text: faster than the user reads.
const PACE: Duration = Duration::from_millis(60);
/// Ticks of that interval after which an incomplete line is shown.
const MAX_QUIET: u32 = 5;
/// What stands for the rest of a stream.
const WITHHELD: &str = "\n[withheld: it takes too long to search it for secrets]\n";

pub struct Telling {
    attempt: u32,
    sender: mpsc::Sender<Message>,
    pieces: Pieces,
    channel: OutputChannel,
    /// `None` once the rest is withheld.
    stream: Option<Stream>,
    /// Ticks since the last piece arrived.
    quiet: u32,
}

impl Telling {
    pub fn new(attempt: u32, sender: mpsc::Sender<Message>, pieces: Pieces, channel: OutputChannel) -> Self {
        let stream = Stream::new(match channel {
            OutputChannel::Answer => Hold::Word,
            OutputChannel::Output => Hold::Line,
        });
        Self { attempt, sender, pieces, channel, stream: Some(stream), quiet: 0 }
    }

    /// Sends pieces at an interval until the work ends. Pauses the work while the task is slow to take them (backpressure).
    pub async fn until<T>(&mut self, doing: impl Future<Output = T>) -> T {
        tokio::pin!(doing);
        let mut pace = tokio::time::interval(PACE);
        let last = loop {
            tokio::select! {
                last = &mut doing => break last,
                _ = pace.tick() => self.flush().await,
            }
        };
        self.flush().await;
        self.release(Stream::rest).await;
        last
    }

    async fn flush(&mut self) {
        let piece = self.pieces.send_replace(String::new());
        self.quiet = if piece.is_empty() { self.quiet + 1 } else { 0 };
        // A prompt or a progress bar does not end with a newline.
        let is_over = self.quiet == MAX_QUIET && self.stream.as_ref().is_some_and(Stream::is_holding);
        if is_over {
            self.release(Stream::rest).await;
        } else if !piece.is_empty() {
            self.release(move |stream| stream.push(&piece)).await;
        }
    }

    /// Tells what the stream releases, redacted on another thread.
    async fn release(&mut self, released: impl FnOnce(&mut Stream) -> String + Send + 'static) {
        let Some(mut stream) = self.stream.take() else { return };
        let released = text_work::read(text_work::UNKNOWN, move || {
            let text = released(&mut stream);
            (stream, text)
        });
        let text = match released.await {
            Ok((stream, text)) => {
                self.stream = Some(stream);
                text
            }
            Err(_) => WITHHELD.to_owned(),
        };
        self.tell(text).await;
    }

    async fn tell(&self, text: String) {
        if text.is_empty() {
            return;
        }
        let input = match self.channel {
            OutputChannel::Answer => Input::Piece(text),
            OutputChannel::Output => Input::Output(text),
        };
        self.send(Event::Input(input)).await;
    }

    pub async fn send(&self, came: Event) {
        let _ = self.sender.send(Message::Came { attempt: self.attempt, came }).await;
    }
}
