//! Tencent's own SDK for robots against our stand-in of WeCom's server: what it takes and sends is what the stand-in gives and takes, so a
//! machine that gets on with the stand-in gets on with what the SDK gets on with. Only with `make test-wecom`, which fetches it.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::harness::wecom::{SentMessage, Wecom};

const ROBOT: &str = r"
const { WSClient, generateReqId } = require('@wecom/aibot-node-sdk');
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const robot = new WSClient({ botId: 'bot-1', secret: 'sesame', wsUrl: process.argv[1], logger: quiet });
robot.on('authenticated', () => console.log('authenticated'));
robot.on('message.text', async (frame) => {
  const { text, from } = frame.body;
  await robot.replyStream(frame, generateReqId('stream'), 'heard ' + text.content, true);
  await robot.sendMessage(from.userid, { msgtype: 'markdown', markdown: { content: 'and later' } });
  console.log('done');
});
robot.connect();
";

#[test]
fn tencents_own_robot_gets_on_with_the_stand_in() {
    let Some(packages) = std::env::var_os("ASIDE_TEST_WECOM") else {
        eprintln!("skipped: ASIDE_TEST_WECOM is not set; `make test-wecom` sets it");
        return;
    };
    let mut wecom = Wecom::start("bot-1", "sesame");
    let mut node = Command::new("node");
    let node = node.args(["-e", ROBOT, wecom.address()]).current_dir(packages).stdout(Stdio::piped());
    let mut robot = node.spawn().unwrap();
    let mut lines = BufReader::new(robot.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some("authenticated"));
    let request = wecom.user_writes("li", "运行测试");
    assert_eq!(wecom.hears(), SentMessage { to: request, text: "heard 运行测试".to_owned() });
    assert_eq!(wecom.hears(), SentMessage { to: "li".to_owned(), text: "and later".to_owned() });
    assert_eq!(lines.next().as_deref(), Some("done"), "every frame was acknowledged");
    robot.kill().unwrap();
    robot.wait().unwrap();
}
