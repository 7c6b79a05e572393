#!/usr/bin/env python3
"""tree.py DIR: builds DIR/work, DIR/outside, DIR/home deterministically (DIR must be empty or absent)."""
import os, sys, time, subprocess, io, tarfile, zipfile, gzip, hashlib
K = 1024; M = K * K; DAY = 86400.0

# rel, size class, age in days, mode
F = [
 ('notes.txt',500,2,0o644), ('todo.txt',500,0.05,0o644), ('readme.md',5*K,45,0o644), ('CHANGELOG.md',5*K,400,0o644),
 ('old report.txt',5*K,800,0o644), ('report.txt',5*K,0.2,0o644), ('old_report.txt',500,20,0o644), ('report.pdf',5*K,10,0o644),
 ('Annual Report 2022.pdf',2*M,800,0o644), ('résumé.pdf',5*K,200,0o644), ('照片.jpg',5*K,100,0o644),
 ('IMG_0001.JPG',5*K,400,0o644), ('img_0001.jpg',5*K,20,0o644), ('beach.jpg',2*M,45,0o644), ('Sunset.PNG',5*K,5,0o644),
 ('logo.png',500,70,0o644), ('screenshot 1.png',5*K,0.8,0o644), ('data.csv',5*K,10,0o644), ('name.csv',500,0.2,0o644),
 ('sales 2023.csv',5*K,400,0o644), ('script.py',500,20,0o644), ('helper.py',500,1090,0o644), ('app.js',5*K,5,0o644),
 ('deploy.sh',500,20,0o755), ('backup.sh',500,100,0o644), ('run me.sh',500,5,0o644), ('me.sh',500,1,0o600),
 ('temp1.tmp',500,10,0o644), ('temp2.tmp',0,200,0o644), ('temp 3.tmp',5*K,0.2,0o644), ('config.bak',500,70,0o644),
 ('notes.txt.bak',500,400,0o644), ('db.bak',12*M,200,0o644), ('dump.sql.gz',5*K,20,0o644), ('video.mp4',12*M,45,0o644),
 ('empty.txt',0,20,0o644), ('empty.log',0,2,0o644), ('error.log',5*K,2,0o644), ('access.log',2*M,45,0o644),
 ('server.log',5*K,0.2,0o644), ('old server.log',5*K,200,0o644), ('secret.key',500,100,0o600), ('id.pem',500,400,0o600),
 ('Makefile',500,70,0o644), ('LICENSE',5*K,1090,0o644), ('OLD_NOTES.TXT',500,400,0o664),
 ('.env',500,200,0o600), ('.config/app/settings.ini',500,400,0o644), ('.notes.md',500,45,0o644), ('.cache/x.log',5*K,100,0o644),
 ('.cache/y.tmp',500,400,0o644), ('.cache/big.bin',2*M,400,0o644), ('.hidden.txt',500,400,0o644), ('.old.bak',500,400,0o644), ('.photo.jpg',5*K,100,0o644),
 ('.empty',0,200,0o644), ('.run.sh',500,100,0o644), ('.data.csv',500,400,0o644), ('.draft.pdf',5*K,400,0o644),
 ('photos.jpg/a.txt',500,400,0o644), ('photos.jpg/b.jpg',5*K,400,0o644), ('photos.jpg/c.json',500,400,0o644),
 ('old-dir/young.txt',500,0.05,0o644), ('old-dir/young.log',5*K,2,0o644), ('old-dir/young.jpg',5*K,5,0o644),
 ('old-dir/sub/fresh.md',500,0.2,0o644), ('old-dir/tool.sh',500,5,0o755),
 ('new-dir/ancient.txt',500,800,0o644), ('new-dir/ancient.log',5*K,1090,0o644), ('new-dir/ancient.pdf',5*K,400,0o644),
 ('node_modules/pkg/index.js',500,200,0o644), ('node_modules/pkg/package.json',500,200,0o644), ('node_modules/pkg/debug.log',500,200,0o644),
 ('node_modules/pkg/cli.js',500,200,0o755),
 ('build/out.o',5*K,10,0o644), ('build/app.bin',2*M,10,0o755), ('build/main.js',5*K,10,0o644), ('build/cache.tmp',500,20,0o644), ('build/.keep',0,200,0o644),
 ('src/main.py',5*K,1,0o644), ('src/util.py',500,45,0o644), ('src/test_main.py',500,45,0o755), ('src/old.py.bak',500,400,0o644),
 ('src/app.js',5*K,5,0o644), ('src/style.css',500,70,0o644), ('src/README.md',500,70,0o644), ('src/__pycache__/main.cpython-311.pyc',500,1,0o644),
 ('src/sub/deep.py',500,400,0o644), ('src/sub/deep.txt',500,400,0o644), ('src/install.sh',500,20,0o644), ('src/TODO',0,100,0o644),
 ('docs/guide.md',5*K,20,0o644), ('docs/Guide.txt',5*K,200,0o644), ('docs/manual.pdf',2*M,200,0o644), ('docs/draft 1.md',500,70,0o644),
 ('docs/draft 2.md',500,2,0o644), ('docs/-draft.md',500,100,0o644), ('docs/images/fig1.png',5*K,200,0o644), ('docs/images/fig2.jpg',5*K,20,0o644),
 ('docs/old/v1.txt',500,800,0o644), ('docs/old/v1.md',500,800,0o644), ('docs/notes.txt',500,20,0o664),
 ('logs/app.log',5*K,0.05,0o644), ('logs/app-2022-11-01.log',5*K,1000,0o644), ('logs/app-2023-06-01.log',5*K,800,0o644),
 ('logs/app-2024-02-01.log',5*K,400,0o644), ('logs/debug.log',2*M,20,0o644), ('logs/old app.log',5*K,200,0o644), ('logs/error.log',500,2,0o640),
 ('logs/rotate.log.1',5*K,45,0o644), ('logs/rotate.log.2.gz',500,70,0o644), ('logs/notes.txt',500,400,0o644), ('logs/archive/2022.log',5*K,1090,0o644),
 ('logs/archive/2023.log',5*K,800,0o644), ('logs/.keep',0,400,0o644), ('logs/empty.log',0,100,0o644),
 ('data/a.csv',5*K,20,0o644), ('data/b.csv',500,45,0o644), ('data/odd\nname.csv',5*K,400,0o644), ('data/big.csv',12*M,200,0o644),
 ('data/results.json',5*K,5,0o644), ('data/readme.txt',500,200,0o644), ('data/raw/r1.csv',5*K,400,0o644), ('data/raw/r2.csv',5*K,10,0o644), ('data/raw/keep.txt',500,400,0o644),
 ('data/raw/r3.json',500,200,0o644), ('data/tmp/t1.tmp',500,45,0o644), ('data/tmp/t2.csv',500,2,0o644), ('data/empty.csv',0,70,0o644), ('data/script.sh',500,20,0o755),
 ('backup/db-1.bak',500,0.2,0o644), ('backup/db-2.bak',500,2,0o644), ('backup/db-3.bak',500,10,0o644), ('backup/db-4.bak',500,45,0o644),
 ('backup/db-5.bak',500,200,0o644), ('backup/db-6.bak',500,800,0o644), ('backup/db 4.bak',500,100,0o644), ('backup/daily/mon.bak',500,1,0o644), ('backup/daily/tue.bak',500,400,0o644),
 ('downloads/setup.exe',5*K,70,0o644), ('downloads/disk.iso',2*M,400,0o644), ('downloads/song.mp3',5*K,100,0o644), ('downloads/Invoice March.PDF',5*K,45,0o644),
 ('downloads/-notes.txt',500,20,0o644), ('downloads/partial.crdownload',5*K,10,0o644), ('downloads/pic1.jpeg',5*K,200,0o644), ('downloads/pic2.JPG',5*K,2,0o644),
 ('downloads/data.csv',5*K,400,0o644), ('downloads/notes.txt',500,100,0o644), ('downloads/report.pdf',5*K,800,0o644), ('downloads/today.txt',500,0.05,0o644),
 ('pictures/beach.jpg',5*K,800,0o644), ('pictures/cat.jpg',5*K,5,0o644), ('pictures/logo.png',500,400,0o644), ('pictures/trip/DSC 01.JPG',5*K,400,0o644),
 ('vendor/lib/lib.js',500,400,0o644), ('vendor/lib/README.txt',500,400,0o644), ('vendor/lib/.hidden.js',500,400,0o644),
]
DUPS = [('data/a copy.csv','data/a.csv',10), ('backup/a.csv','data/a.csv',5), ('backup/notes.txt','notes.txt',2), ('downloads/report (1).pdf','report.pdf',5),
        ('pictures/sunset copy.png','Sunset.PNG',4), ('.cache/dup.csv','data/a.csv',100)]
LINKS = [('link.txt','../outside/out.txt'), ('extdir','../outside/dir'), ('dangling','nowhere'), ('dangling.log','missing.log'), ('inner-link','notes.txt'),
         ('logs/latest.log','../server.log'), ('docs/ext.md','../../outside/out.md'), ('data/shared','../../outside/dir'), ('photo_link.jpg','../outside/pic.jpg'),
         ('run.sh','../outside/tool.sh')]
DIRS = ['empty-dir','old-empty','data/empty-sub','build/tmp/inner','.empty-hidden','docs/empty notes']
OUT = [('out.txt',500,400,0o600), ('out.md',500,400,0o600), ('pic.jpg',5*K,400,0o600), ('tool.sh',500,400,0o600), ('dir/x.txt',500,800,0o600), ('dir/y.log',5*K,800,0o600),
       ('dir/z.jpg',5*K,10,0o600), ('dir/big.bin',2*M,400,0o600), ('dir/empty.txt',0,400,0o600), ('dir/t.tmp',500,400,0o600), ('dir/d.csv',500,400,0o600)]
HOME = [('.bashrc',500,400,0o644), ('.profile',500,400,0o644), ('.ssh/config',500,400,0o600), ('Documents/letter.txt',500,400,0o644), ('Documents/cv.pdf',5*K,20,0o644),
        ('Downloads/old.iso',5*K,400,0o644), ('Downloads/fresh.zip',500,0.2,0o644), ('Pictures/me.jpg',5*K,45,0o644), ('Desktop/memo.txt',500,5,0o644),
        ('.local/share/Trash/files/junk.txt',500,45,0o644), ('.local/share/Trash/info/junk.txt.trashinfo',500,45,0o644), ('app.log',500,400,0o644)]

def put(root, rel, size, age, mode, now, idx):
    p = os.path.join(root, rel); os.makedirs(os.path.dirname(p), exist_ok=True)
    with open(p, 'wb') as fh:
        if size:
            head = ('#!/bin/sh\n' if rel.endswith('.sh') else '') + '# %s %s\n' % (hashlib.sha1(rel.encode()).hexdigest(), rel.replace('\n', '?'))
            head = head.encode()
            if size < M:
                tgt = size + (idx * 7) % 90 - (45 if size == 500 else 0)
                body = (head * (tgt // len(head) + 1))[:tgt]
                fh.write(body)
            else:
                fh.write(head); fh.truncate(size + idx * 64)
    os.chmod(p, mode); os.utime(p, (now - age * DAY, now - age * DAY))

def git(d, *a):
    env = {'PATH': os.environ['PATH'], 'HOME': '/nonexistent', 'GIT_CONFIG_NOSYSTEM': '1', 'GIT_AUTHOR_NAME': 'Ada', 'GIT_AUTHOR_EMAIL': 'ada@example.com',
           'GIT_COMMITTER_NAME': 'Ada', 'GIT_COMMITTER_EMAIL': 'ada@example.com', 'GIT_AUTHOR_DATE': '2022-01-01T00:00:00Z', 'GIT_COMMITTER_DATE': '2022-01-01T00:00:00Z'}
    subprocess.run(['git', '-C', d, *a], check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

def age_git(g, now):
    open(os.path.join(g, 'FETCH_HEAD'), 'w').close()
    os.makedirs(os.path.join(g, 'refs', 'tags'), exist_ok=True)
    os.makedirs(os.path.join(g, 'branches'), exist_ok=True)
    open(os.path.join(g, 'gc.log'), 'w').write('old gc\n'); open(os.path.join(g, 'notes.txt'), 'w').write('n\n')
    with open(os.path.join(g, 'big.tmp'), 'wb') as fh: fh.write(b'pack'); fh.truncate(2 * M if 'vendor' not in g else 600)
    for i, (b, ds, fs) in enumerate(sorted(os.walk(g))):
        for n in sorted(fs):
            a = 900 if 'objects' in b or n in ('config', 'description', 'gc.log', 'notes.txt', 'FETCH_HEAD', 'big.tmp') else 30.5
            os.utime(os.path.join(b, n), (now - a * DAY,) * 2)
        os.utime(b, (now - 500 * DAY,) * 2)

def build(root):
    os.umask(0o022)
    now = time.time(); w = os.path.join(root, 'work'); o = os.path.join(root, 'outside'); h = os.path.join(root, 'home')
    for d in (w, o, h, os.path.join(root, 'tmp')): os.makedirs(d)
    for i, (r, s, a, m) in enumerate(F): put(w, r, s, a, m, now, i)
    for i, (r, s, a, m) in enumerate(OUT): put(o, r, s, a, m, now, i + 300)
    for i, (r, s, a, m) in enumerate(HOME): put(h, r, s, a, m, now, i + 400)
    for r, src, a in DUPS:
        with open(os.path.join(w, src), 'rb') as x, open(os.path.join(w, r), 'wb') as y: y.write(x.read())
        os.utime(os.path.join(w, r), (now - a * DAY,) * 2)
    # real archives
    def tgz(rel, names, age):
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode='w') as t:
            for n in names:
                b = ('content of %s in %s\n' % (n, rel)).encode(); ti = tarfile.TarInfo(n); ti.size = len(b); ti.mtime = 1600000000; t.addfile(ti, io.BytesIO(b))
        with open(os.path.join(w, rel), 'wb') as fh, gzip.GzipFile(filename='', mode='wb', fileobj=fh, mtime=0) as g: g.write(raw.getvalue())
        os.utime(os.path.join(w, rel), (now - age * DAY,) * 2)
    tgz('archive.tar.gz', ['inside/one.txt', 'inside/two.txt'], 100)
    tgz('backup/backup-2022.tar.gz', ['bk/old.txt'], 1000)
    for rel, nm, age in (('downloads/photos.zip', 'zipped/p.jpg', 45), ('bundle.zip', 'bundle/b.txt', 400)):
        with zipfile.ZipFile(os.path.join(w, rel), 'w') as z: z.writestr(zipfile.ZipInfo(nm, (2020, 1, 1, 0, 0, 0)), 'zip content ' + rel)
        os.utime(os.path.join(w, rel), (now - age * DAY,) * 2)
    with open(os.path.join(w, 'dump.sql.gz'), 'wb') as fh, gzip.GzipFile(filename='', mode='wb', fileobj=fh, mtime=0) as g: g.write(b'create table t(i int);\n' * 50)
    os.utime(os.path.join(w, 'dump.sql.gz'), (now - 20 * DAY,) * 2)
    with open(os.path.join(w, 'logs/rotate.log.2.gz'), 'wb') as fh, gzip.GzipFile(filename='', mode='wb', fileobj=fh, mtime=0) as g: g.write(b'rotated log\n' * 50)
    os.utime(os.path.join(w, 'logs/rotate.log.2.gz'), (now - 70 * DAY,) * 2)
    for d in DIRS: os.makedirs(os.path.join(w, d))
    with open(os.path.join(w, '.gitignore'), 'w') as fh: fh.write('node_modules/\nvendor/\nbuild/\n*.mp4\n*.bak\nbig.csv\ndata/\n')
    os.utime(os.path.join(w, '.gitignore'), (now - 200 * DAY,) * 2)
    for r, t in LINKS: os.symlink(t, os.path.join(w, r))
    git(w, 'init', '-q'); git(w, 'add', 'readme.md', 'src', '.gitignore'); git(w, 'commit', '-qm', 'first')
    git(w, 'add', 'docs/guide.md', 'LICENSE'); git(w, 'commit', '-qm', 'second'); git(w, 'add', 'Makefile'); git(w, 'commit', '-qm', 'third')
    v = os.path.join(w, 'vendor/lib'); git(v, 'init', '-q'); git(v, 'add', 'lib.js'); git(v, 'commit', '-qm', 'lib')
    age_git(os.path.join(w, '.git'), now); age_git(os.path.join(v, '.git'), now)
    for r, t in LINKS: os.utime(os.path.join(w, r), (now - 500 * DAY,) * 2, follow_symlinks=False)
    ages = {'old-dir': 730, 'new-dir': 0.05, 'backup/daily': 0.05, 'empty-dir': 20, 'old-empty': 800, 'data/empty-sub': 70, 'photos.jpg': 400, 'logs/archive': 0.3, '.': 0.05}
    for b, ds, fs in os.walk(w, topdown=False):
        rel = os.path.relpath(b, w)
        if '.git' in rel.split('/'): continue
        os.utime(b, (now - ages.get(rel, 300) * DAY,) * 2)
    for z in (o, h):
        for b, ds, fs in os.walk(z, topdown=False): os.utime(b, (now - 300 * DAY,) * 2)

if __name__ == '__main__':
    r = sys.argv[1]
    if os.path.isdir(r) and os.listdir(r): sys.exit('not empty: ' + r)
    build(r)
