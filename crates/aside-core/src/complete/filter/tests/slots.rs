//! Words that were in another slot in past lines (after a flag, not before a pipe), and words in the wrong place here.

use super::check;

#[test]
fn the_value_of_an_option_is_no_operand() {
    check(
        "
        program kubectl
        program psql
        program cargo
        program ansible-playbook
        program docker
        program ssh
        program curl
        program helm
        program git
        host web1
        file Cargo.toml
        file hosts.ini
        file site.yml
        git-branch main
        git-remote origin
        history kubectl logs web-7f9 -n shop
        history kubectl get pods --namespace billing
        history psql -h localhost -U admin orders
        history cargo add serde --features derive
        history ansible-playbook -i hosts.ini -l staging site.yml
        history docker run --name cache redis
        history ssh -i deploy.pem web1
        history curl -o page.html https://example.org/
        history helm upgrade web ./chart -f values.yml
        history git push -u origin main
        history git log --author dana --oneline
        ",
        &[
            ("kubectl logs -n ", "kubectl logs -n shop"),
            ("psql -h ", "psql -h localhost -U admin orders"),
            ("psql o", "psql orders"),
            ("cargo add serde --features d", "cargo add serde --features derive"),
            // A flag without a value is skipped.
            ("git push o", "git push origin"),
            ("docker run r", "docker run redis"),
        ],
        &[
            ("kubectl logs ", "kubectl logs shop"),
            ("kubectl logs s", "kubectl logs shop"),
            ("kubectl get ", "kubectl get billing"),
            ("kubectl get b", "kubectl get billing"),
            ("psql ", "psql localhost"),
            ("psql l", "psql localhost"),
            ("psql a", "psql admin"),
            ("cargo add ", "cargo add derive"),
            ("cargo add d", "cargo add derive"),
            ("ansible-playbook ", "ansible-playbook hosts.ini"),
            ("ansible-playbook s", "ansible-playbook staging"),
            ("docker run c", "docker run cache"),
            ("ssh d", "ssh deploy.pem"),
            ("curl p", "curl page.html"),
            ("helm upgrade v", "helm upgrade values.yml"),
            ("git log d", "git log dana"),
        ],
    );
}

#[test]
fn without_a_spec_what_stood_behind_an_option_is_doubtful() {
    check(
        "
        program frob
        program deploy
        history frob --target staging one two
        history frob --target staging one two
        history deploy web -r eu-west
        history deploy web -r eu-west
        ",
        &[("frob --target ", "frob --target staging one two"), ("deploy web -r ", "deploy web -r eu-west")],
        &[("frob s", "frob staging"), ("deploy e", "deploy eu-west"), ("deploy api e", "deploy api eu-west")],
    );
}

#[test]
fn a_command_behind_a_pipe_reads_the_pipe() {
    check(
        "
        program ps
        program grep
        program rg
        program cat
        program sort
        program head
        program tee
        program sed
        program wc
        program ls
        program git
        program xargs
        program python3
        program dmesg
        builtin cd
        alias clip=xclip -sel c
        directory src
        file src/todo.txt
        file notes.txt
        file show.py
        history grep -rn 'TODO' src
        history grep -rn 'TODO' src
        history grep -rn 'TODO' src
        history sort notes.txt
        history head -20 notes.txt
        history sed -i s/a/b/ notes.txt
        history ps aux | grep nginx
        history ls && cd src
        history make; ls src
        history dmesg | clip
        ",
        &[
            ("ps aux | grep n", "ps aux | grep nginx"),
            ("grep -rn ", "grep -rn 'TODO' src"),
            ("cat notes.txt | tee no", "cat notes.txt | tee notes.txt"),
            ("cat notes.txt | cat - no", "cat notes.txt | cat - notes.txt"),
            ("cat notes.txt | python3 sh", "cat notes.txt | python3 show.py"),
            ("ls | xargs grep -l x no", "ls | xargs grep -l x notes.txt"),
            ("cat notes.txt | cl", "cat notes.txt | clip"),
        ],
        &[
            ("ps aux | grep ", "ps aux | grep -rn"),
            ("ps aux | grep -", "ps aux | grep -r"),
            ("ps aux | grep -", "ps aux | grep -l"),
            ("ps aux | grep 'T", "ps aux | grep 'TODO'"),
            ("dmesg | grep usb ", "dmesg | grep usb "),
            ("dmesg | grep usb n", "dmesg | grep usb notes.txt"),
            ("dmesg | rg usb s", "dmesg | rg usb src"),
            ("ls | sort ", "ls | sort notes.txt"),
            ("ls | sort n", "ls | sort notes.txt"),
            ("ls | head ", "ls | head -20 notes.txt"),
            ("ls | sed -", "ls | sed -i"),
            ("ls | wc n", "ls | wc notes.txt"),
            ("ps aux | ", "ps aux | ls"),
            ("ps aux | ", "ps aux | cd"),
            ("ps aux | l", "ps aux | ls"),
            ("ps aux | c", "ps aux | cd"),
            ("ps aux | g", "ps aux | git"),
            ("ps aux |", "ps aux |ls"),
        ],
    );
}

#[test]
fn what_is_installed_is_not_installed_again() {
    check(
        "
        program apt
        program sudo
        program brew
        program pacman
        package vim
        package libc6
        directory src
        directory src/deb
        file tool.deb
        history sudo apt install vim
        history sudo apt install htop
        history brew install vim
        history brew install jq
        ",
        &[
            ("sudo apt install h", "sudo apt install htop"),
            ("sudo apt remove v", "sudo apt remove vim"),
            ("apt install ./t", "apt install ./tool.deb"),
            ("brew install j", "brew install jq"),
        ],
        &[
            ("sudo apt install v", "sudo apt install vim"),
            ("sudo apt ins", "sudo apt install vim"),
            ("apt install l", "apt install libc6"),
            ("apt install s", "apt install src"),
            ("apt install ", "apt install src"),
            ("apt install t", "apt install tool.deb"),
            ("brew install v", "brew install vim"),
            ("pacman -S v", "pacman -S vim"),
        ],
    );
}

#[test]
fn a_dash_alone_is_a_whole_word_of_some_commands() {
    check(
        "
        builtin cd
        builtin pushd
        program su
        program sudo
        program git
        program vim
        program diff
        program tail
        file notes.txt
        ",
        &[("tail -", "tail -f"), ("su --lo", "su --login")],
        &[
            ("cd -", "cd -e"),
            ("cd -", "cd -P"),
            ("pushd -", "pushd -n"),
            ("su -", "su -c"),
            ("sudo su -", "sudo su -l"),
            ("git diff | vim -", "git diff | vim -R"),
            ("git show | diff -", "git show | diff -u"),
        ],
    );
}

#[test]
fn python_runs_the_modules_that_are_there() {
    check(
        "
        program python
        program python3
        file app.py
        file shop/__init__.py
        file .venv/lib/python3.12/site-packages/pytest/__init__.py
        file /home/me/.local/lib/python3.12/site-packages/rich/__init__.py
        history python -m black . in /elsewhere
        history python -m rich.table in /elsewhere
        ",
        &[
            ("python -m py", "python -m pytest"),
            ("python3 -m http", "python3 -m http.server"),
            ("python -m ric", "python -m rich.table"),
        ],
        &[
            ("python -m b", "python -m black"),
            ("python -m ", "python -m black"),
            ("python3 -m my", "python3 -m mypy"),
            ("python -m uvi", "python -m uvicorn"),
            ("python -m dja", "python -m django"),
        ],
    );
}

#[test]
fn a_file_is_none_of_what_the_journal_takes() {
    check(
        "
        program journalctl
        program uv
        program poetry
        file server.log
        file requirements.txt
        directory /home/me/src
        file /home/pyproject.toml
        history uv add rich in /elsewhere
        ",
        &[("uv pi", "uv pip")],
        &[
            ("journalctl s", "journalctl server.log"),
            ("journalctl ", "journalctl server.log"),
            ("uv a", "uv add"),
            ("uv add r", "uv add rich"),
            ("poetry a", "poetry add"),
        ],
    );
}
