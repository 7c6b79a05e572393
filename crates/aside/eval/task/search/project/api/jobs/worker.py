"""Works off the queue at night."""

import queue

from api.mail import send_mail

JOBS = queue.Queue(maxsize=1000)


def enqueue(job):
    JOBS.put_nowait(job)


def run_worker(settings):
    while True:
        job = JOBS.get()
        try:
            job.run()
        except Exception as error:
            send_mail(settings, "ops@example.invalid", "A job failed", str(error))
