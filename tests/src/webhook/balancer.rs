//! What a Service does: new connections go to one of the addresses that stand behind it, in turn; open ones stay where they are.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A port that others stand behind. It ends with this value.
#[derive(Debug)]
pub struct Balancer {
    address: SocketAddr,
    behind: Arc<Mutex<Vec<SocketAddr>>>,
    task: JoinHandle<()>,
}

impl Balancer {
    /// A port with nobody behind it.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let behind = Arc::new(Mutex::new(Vec::new()));
        let task = tokio::spawn(relay(listener, Arc::clone(&behind)));
        Ok(Self { address, behind, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends new connections to these from now on.
    pub fn send_to(&self, addresses: &[SocketAddr]) {
        *self.behind.lock().unwrap_or_else(PoisonError::into_inner) = addresses.to_vec();
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn relay(listener: TcpListener, behind: Arc<Mutex<Vec<SocketAddr>>>) {
    for turn in 0_usize.. {
        let Ok((mut near, _)) = listener.accept().await else { return };
        let target = {
            let behind = behind.lock().unwrap_or_else(PoisonError::into_inner);
            behind.get(turn % behind.len().max(1)).copied()
        };
        // Without anybody behind it, the connection ends at once.
        let Some(target) = target else { continue };
        tokio::spawn(async move {
            if let Ok(mut far) = TcpStream::connect(target).await {
                // How it ends is for the two ends to notice.
                let _ = copy_bidirectional(&mut near, &mut far).await;
            }
        });
    }
}
