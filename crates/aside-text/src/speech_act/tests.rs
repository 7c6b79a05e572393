//! Sentences with their moods, and texts that no user would write.

use proptest::prelude::*;

use super::*;

/// The kinds of the clauses, with the verbs that they govern.
fn shown(request: &str) -> String {
    let clause = |clause: &Clause| {
        let heads: Vec<&str> = clause.heads.iter().map(|head| &request[head.span.clone()]).collect();
        let heads = if heads.is_empty() { String::new() } else { format!(" {}", heads.join("+")) };
        format!("{:?}{heads}", clause.kind)
    };
    SpeechActs::of(request).clauses.iter().map(clause).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_clause_has_its_mood() {
    let mut wrong = Vec::new();
    for (request, expected) in [
        // Orders, wishes and questions for a command.
        ("delete a.txt", "Order delete"),
        ("please stop nginx", "Order stop"),
        ("hey, could you please kill the process on port 3000?", "Talk, Order kill"),
        ("would you mind restarting nginx", "Order restarting"),
        ("I want to rename a.txt to b.txt", "Wish rename"),
        ("i'd like to remove docker", "Wish remove"),
        ("I want the container web removed", "Wish removed"),
        ("get the image demo:old removed please", "Order removed"),
        ("let's delete the build folder", "Wish delete"),
        ("how do I delete a branch", "HowTo delete"),
        ("what is the best way to undo a commit", "HowTo undo"),
        ("what's the command for deleting a tag", "HowTo deleting"),
        ("git undo last commit", "Order undo"),
        ("in docs, delete all .tmp files", "Mention, Order delete"),
        ("force push to origin", "Order push"),
        ("delte a.txt", "Order delte"),
        ("stop and remove the container web", "Order stop, Order remove"),
        ("find all .bak files and delete them", "Order find, Order delete"),
        ("disk is full, delete all files in logs", "Statement, Order delete"),
        ("only I should be able to read .env", "Wish should be able to read"),
        // Partly forbidden.
        ("don't delete logs, just list them", "Forbids delete, Order list"),
        ("list the branches but don't delete any", "Order list, Forbids delete"),
        ("remove the container but keep the volume", "Order remove, Forbids"),
        ("do not stop nginx, restart docker or delete anything", "Forbids stop, Forbids restart, Forbids delete"),
        ("never kill node", "Forbids kill"),
        ("delete nothing", "Forbids"),
        ("stop deleting my files", "Forbids"),
        ("how do I stop apt from removing my kernel", "Forbids"),
        ("could you please not restart it", "Question, Forbids restart"),
        // Questions.
        ("is nginx stopped", "Question"),
        ("who deleted main.rs", "Question"),
        ("can i delete build", "Question"),
        ("how does rm work", "Question"),
        ("delete a.txt?", "Question delete"),
        ("delete a.txt, is that safe", "Question delete, Question"),
        // Statements.
        ("the volume was deleted by mistake", "Statement"),
        ("I already killed it myself", "Statement"),
        ("restart fixed it", "Mention"),
        ("the restart fixed it", "Statement"),
        ("reset deleted my changes", "Statement"),
        ("we should delete the logs, restart nginx and go home", "Statement, Statement restart, Statement go"),
        // Conditions, reports, thanks, jokes.
        ("if it hangs, kill it", "Condition, Condition kill"),
        ("restart nginx if it is down", "Condition"),
        ("delete a.txt if it exists", "Order delete"),
        ("the ticket says: restart tomcat", "Reported"),
        ("rollback plan: stop traffic, restore the snapshot", "Reported"),
        ("just reboot it, they said", "Reported reboot, Statement"),
        ("thanks for restarting it", "Thanks"),
        ("rm -rf my responsibilities, if only", "Talk"),
        // Texts to be written, and words without a verb of their own.
        ("write tests for parser.py", "Writing"),
        ("create a script that deletes logs", "Writing"),
        ("explain what kill does", "Writing"),
        ("restart count of all pods", "Mention"),
        ("kill switch", "Mention"),
        ("the oom killer", "Mention"),
        ("stopped containers", "Mention"),
        ("stop vs kill", "Mention"),
        ("list stopped containers", "Order list"),
        ("search for delete and remove in src", "Order search"),
        // Chinese.
        ("删除 a.txt", "Order 删除"),
        ("把 a.txt 删掉", "Order 删掉"),
        ("帮我停掉容器 web", "Order 停掉"),
        ("能不能帮我重启 nginx 吗", "Order 重启"),
        ("我想卸载 docker", "Wish 卸载"),
        ("怎么删除远程分支", "HowTo 删除"),
        ("git 如何撤销提交", "HowTo 撤销"),
        ("nginx 重启一下", "Order 重启"),
        ("查找所有 .bak 文件并删除", "Order 查找, Order 删除"),
        ("不要删除 a.txt", "Forbids 删除"),
        ("先别删日志，帮我看看有多大", "Forbids 删, Question"),
        ("nginx 停了吗", "Question"),
        ("谁删了 main.rs", "Question"),
        ("main.rs 被删了", "Statement"),
        ("我把 main.rs 删了", "Statement"),
        ("如果磁盘满了，清理日志", "Condition, Condition"),
        ("怎么又重启了", "Question"),
        ("删除 a.txt 会怎么样", "Question"),
        ("重启之后就好了", "Statement"),
        ("谢谢，已经删好了", "Thanks, Statement"),
        ("写一个删除日志的脚本", "Writing"),
        ("步骤：停止服务，删除缓存", "Reported"),
        ("列出已停止的容器", "Order 列出"),
        ("删除已合并的分支", "Order 删除"),
    ] {
        if shown(request) != expected {
            wrong.push(format!("{request}\n  is      {}\n  must be {expected}", shown(request)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_put_off_is_known() {
    for (request, later) in [
        ("delete the branch tomorrow", "tomorrow"),
        ("next sprint I want to get rid of the fixtures", "next sprint"),
        ("明天再把那台机器清掉吧", "明天"),
    ] {
        let speech_acts = SpeechActs::of(request);
        let order = speech_acts.clauses.iter().find(|clause| !clause.heads.is_empty() || clause.later.is_some());
        assert_eq!(order.and_then(|order| order.later.clone()).map(|span| &request[span]), Some(later), "{request}");
    }
}

#[test]
fn an_order_that_waits_is_no_order_for_now() {
    let mut wrong = Vec::new();
    for (request, expected) in [
        ("as soon as the build is green, delete the branch topic", "as soon as the build is green"),
        ("once CI passes merge it", "once CI passes"),
        ("once the tests pass, push to origin and delete the branch", "once the tests pass"),
        ("when you have time, drop table x", "when you have time"),
        ("please delete the branch topic when the build is green", "when the build is green"),
        ("restart nginx if it is down", "if it is down"),
        ("if the disk is full, remove the logs", "if the disk is full"),
        ("unless the tests fail, deploy the service", "unless the tests fail"),
        ("after the release is out, remove the tag v1", "after the release is out"),
        ("stop nginx and delete the logs once the backup has finished", "once the backup has finished"),
        ("delete the build folder whenever the disk fills up", "whenever the disk fills up"),
        ("wait until the build is done, then delete a.txt", "wait until the build is done"),
        ("tomorrow remove the logs", "tomorrow"),
        ("later delete a.txt", "later"),
        ("delete a.txt later", "later"),
        ("next week, please remove docker", "next week"),
        ("remove the logs every night", "every night"),
        ("kill the server when done", "when done"),
        ("构建通过之后删除分支 topic", "之后"),
        ("等构建通过再删除分支 topic", "等"),
        ("如果磁盘满了，清理日志", "如果"),
        ("明天删除日志", "明天"),
        ("有空的时候删掉 a.txt", "的时候"),
        ("稍后删除 a.txt", "稍后"),
        ("测试通过后合并分支", "通过后"),
        // At once, whatever else is said.
        ("delete a.txt", ""),
        ("delete a.txt if it exists", ""),
        ("before you deploy, run the tests", ""),
        ("run the tests once more", ""),
        ("run the tests once", ""),
        ("run the tests, and if they fail, revert the commit", ""),
        ("delete logs older than one day", ""),
        ("set the date to tomorrow", ""),
        ("remove the line after the header", ""),
        ("run the tests and tell me if they pass", ""),
        ("kill the job that hangs when it starts", ""),
        ("list the files that were changed after the release", ""),
        ("remove the branch that I merged after lunch and the tag", ""),
        ("删除 a.txt", ""),
        ("删除重启之后的日志", ""),
        ("把明天的日志删掉", ""),
        ("运行测试，如果失败就回滚", ""),
        ("重启之后就好了", ""),
    ] {
        let by = SpeechActs::of(request).waits().map_or("", |span| &request[span]);
        if by != expected {
            wrong.push(format!("{request}: {by:?}, not {expected:?}; {}", shown(request)));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_told_asked_or_forbidden_denies_that_anything_is_to_be_done() {
    for request in [
        "don't run the tests",
        "did the deploy script run",
        "who stopped the server",
        "the tests were run yesterday",
        "thanks for restarting it",
        "服务被谁停了",
        "不要运行测试",
    ] {
        assert!(SpeechActs::of(request).denies(), "{request}: {}", shown(request));
    }
    for request in [
        "run the tests",
        "npm test",
        "tests",
        "the header should be sticky",
        "does it build?",
        "跑一下测试",
        "旧接口可以删了",
    ] {
        assert!(!SpeechActs::of(request).denies(), "{request}: {}", shown(request));
    }
}

#[test]
fn long_texts_are_read_in_time() {
    // Quadratic work would take minutes.
    for piece in ["delete ", "and ", "don't, ", "删除", "\"", "如果，", "the "] {
        let text = piece.repeat(40_000);
        assert!(SpeechActs::of(&text).clauses.len() <= 60);
    }
}

proptest! {
    #[test]
    fn spans_are_pieces_of_any_text(text in "(?s).{0,80}") {
        for clause in SpeechActs::of(&text).clauses {
            let spans = clause.heads.iter().map(|head| &head.span).chain([&clause.span, &clause.by]).chain(&clause.later).chain(&clause.frame);
            for span in spans {
                prop_assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
            }
        }
    }

    #[test]
    fn spans_are_pieces_of_likely_texts(words in prop::collection::vec("(delete|don't|if|and|the|a\\.txt|,|\\?|删除|把|不要|吗|了|how do i|who|\"x y\"|please|:|to|was)", 0..14)) {
        let text = words.join(" ");
        for clause in SpeechActs::of(&text).clauses {
            let spans = clause.heads.iter().map(|head| &head.span).chain([&clause.span, &clause.by]);
            for span in spans {
                prop_assert!(text.get(span.clone()).is_some(), "{span:?} of {text:?}");
            }
        }
    }
}
