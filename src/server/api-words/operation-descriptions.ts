// Short descriptions of API operations, for the OpenAPI document. Longer descriptions are in the schema of their route.

export const operationDescriptions: Readonly<Record<string, string>> = {
  'get /jobs':
    'Lists the jobs of your workspace, newest first. The list is paginated: `next_cursor` is the cursor of the next page. Filters can be combined.',
  'get /jobs/{job_id}/status':
    'Returns the state of the job, its counts, its current rate, what it waits for, and the warnings of its records.',
  'get /jobs/{job_id}': 'Returns the same as `/jobs/{job_id}/status`.',
  'delete /jobs/{job_id}':
    'Deletes the job with its tasks, records, raw pages, files and outputs. A job that has not ended is refused with 409; cancel it first.',
  'post /jobs/{job_id}/pause':
    'Starts no further task of the job. Requests in flight may finish. The job continues after `resume`.',
  'post /jobs/{job_id}/resume':
    'Continues a paused job where it stopped. A job that stopped at a limit needs `raise` instead.',
  'post /jobs/{job_id}/cancel':
    'Ends the job as `cancelled`: requests in flight are aborted, and open tasks are cancelled. Its records stay.',
  'post /jobs/{job_id}/retry':
    'Runs the failed tasks of the job again. For a cancelled job, it also runs the cancelled tasks.',
  'get /jobs/{job_id}/policy':
    'Returns each value of the policy with the place that set it (default, settings, domain, scraper, job, task or ceiling), and what the job has spent of its budget.',
  'post /jobs/{job_id}/raise':
    'Sets new limits for pages, bytes, browser seconds or money. A job that was paused at a limit continues.',
  'get /jobs/{job_id}/conduct':
    'Returns how the job behaved: its user agent, robots.txt files, consents, the request rate at each host, and how many pages it skipped because of robots.txt or the do-not-crawl list.',
  'get /jobs/{job_id}/outputs/{file_name}':
    'Returns one output file of the job. The file is available as soon as it is written.',
  'get /jobs/{job_id}/raw-export':
    'Returns the state of the Parquet export of raw pages, with the pages and files that it has written.',
  'get /jobs/{job_id}/raw-export/files':
    'Lists the finished files of the export, sorted by path. The list is paginated.',
  'get /jobs/{job_id}/raw-export/files/{path}': 'Returns one Parquet file of the export, as a download.',
  'get /jobs/{job_id}/rejected':
    'Returns the rows of a list, file or upload that did not become tasks, each with its line and the reason.',
  'get /jobs/{job_id}/items/{item_id}':
    'Returns one task with its state, all attempts, their times, and the files that they stored.',
  'get /jobs/{job_id}/items/{item_id}/download': 'Returns one file of the task; `artifact` selects it.',
  'get /jobs/{job_id}/items/{item_id}/exchange':
    'Returns the requests and responses of the task with all redirects, but without bodies. Secret header values are removed.',
  'post /previews/{preview_id}/extract':
    'Applies the rules to the stored page of the preview and returns the records, without a request to the site.',
  'post /previews/{preview_id}/pick':
    'Proposes for a clicked element: the rows of its list, the name and selector of the field, and the link to the next page.',
  'post /api/v1/scrape':
    'Creates a task for the page, and returns the task id and the status URL at once. The task survives restarts.',
  'get /api/v1/scrape/{task_id}':
    'Returns the state of one scrape and, once it is completed, its record. A failed scrape has an error code and a message.',
  'get /api/v1/scrape/jobs/{job_id}':
    'Returns the state of a batch and the number of its tasks in each state.',
  'get /api/v1/scrape/jobs/{job_id}/results':
    'Lists the completed tasks of a batch with their records. The list is paginated.',
  'post /api/v1/scrape/jobs/{job_id}/cancel':
    'Cancels the tasks of a batch that have not started. Tasks in flight finish, and their results stay.',
  'post /fetch/cancel/{job_id}': 'Cancels the job and closes pages that are loading. Existing records stay.',
  'post /browsers/{browser_id}/input':
    'Sends mouse moves, clicks, keys and text to a page that you paused in the live view.',
  'get /uploads': 'Lists the uploads of your workspace with their size and state. The list is paginated.',
  'get /uploads/{upload_id}':
    'Returns one upload: its file name, its size, its state, and the time until which it accepts the file.',
  'delete /uploads/{upload_id}':
    'Deletes the upload and its file. Jobs that have already read it are not affected.',
  'get /schedules': 'Lists the schedules of your workspace with their next runs. The list is paginated.',
  'get /schedules/{schedule_id}': 'Returns one schedule with its job and its next five ticks.',
  'delete /schedules/{schedule_id}':
    'Deletes the schedule and the list of its runs. Jobs that it has started stay and continue.',
  'post /schedules/{schedule_id}/pause':
    'Skips the ticks of the schedule until it is resumed. A run that is queued or active continues.',
  'post /schedules/{schedule_id}/resume':
    'Runs the schedule again from its next tick. Ticks that passed during the pause are not run later.',
  'get /schedules/{schedule_id}/runs':
    'Returns the result of each tick: the run with the state and counts of its job, or the reason why no run started.',
  'get /monitors': 'Lists the monitors of your workspace with their next checks. The list is paginated.',
  'get /monitors/{monitor_id}':
    'Returns one monitor: its job, its schedule, the changes that it ignores, and the URLs of its feeds.',
  'delete /monitors/{monitor_id}':
    'Deletes the monitor with its results and its feed. The jobs of its checks stay.',
  'get /monitors/{monitor_id}/checks/{job_id}':
    'Returns the pages of one check by status (new, changed, same, removed, error), with the differences of changed pages.',
  'get /webhooks':
    'Lists the webhooks of your workspace with the state of their delivery. The list is paginated.',
  'get /webhooks/{webhook_id}':
    'Returns one webhook: its body, and the status or error of every delivery attempt.',
  'get /scrapers':
    'Returns the built-in scrapers and those of the `scrapers/` folder. `broken` lists files that could not be loaded, with the error.',
  'get /sessions':
    'Returns the names of the stored sessions, their domains, and when they were saved. Cookies and tokens are never returned.',
  'delete /sessions/{name}': 'Deletes the session with its cookies. Jobs that use its name start without it.',
  'get /hosts':
    'Lists the hosts that the service has requested, sorted by name, with rate, breaker and last error. The list is paginated.',
  'get /hosts/{host}':
    'Returns the state of one host: its pace, breaker, robots.txt, recent errors, and the policy in force with the source of each value.',
  'post /hosts/{host}/pause':
    'Stops requests to the host for all jobs of the service, until it is resumed or until the given time.',
  'post /hosts/{host}/resume': 'Lets requests to the host continue at its usual rate.',
  'delete /hosts/{host}/policy': 'Removes the override. The domain policy file and the settings apply again.',
  'get /proxies': 'Returns the proxies of the service with their health and counts. Passwords are not shown.',
  'post /proxies/check':
    'Connects to every proxy now, and returns the health of each proxy. Sends no request to a site.',
  'get /do-not-crawl':
    'Lists all entries and all opt-out requests with their state and reason, newest first. The list is paginated.',
  'post /do-not-crawl/{listing_id}/approve':
    'Approves the opt-out request of a site owner. From then on, no job requests pages of the site.',
  'post /do-not-crawl/{listing_id}/refuse':
    'Rejects the opt-out request of a site owner. Jobs may still request pages of the site.',
  'get /do-not-crawl/{listing_id}': 'Returns one entry: its pattern, its reason, its contact and its state.',
  'delete /do-not-crawl/{listing_id}': 'Removes the entry. Jobs may request these pages again.',
  'get /do-not-crawl/requests/{request_id}':
    'Returns the state of an opt-out request, and the two ways in which the owner can prove the ownership of the site. No key is needed.',
  'post /do-not-crawl/requests/{request_id}/verify':
    'Looks for the token in the DNS and on the site. If the token is found, the opt-out request applies at once.',
  'post /keys':
    'Creates a key with scopes, limits and a workspace. The response contains the secret key, which is never shown again.',
  'get /keys':
    'Returns all keys with their scopes and limits, revoked ones included, but without their secrets.',
  'delete /keys/{key_id}':
    'Revokes the key. Requests with the key are then refused; other processes of a cluster refuse them after a few seconds. Jobs of the key continue. Schedules of the key record their ticks as failed.',
  'get /me': 'Returns the workspace, scopes and limits of the key that sends the request.',
  'get /workers':
    'Returns every worker with its role, tasks, memory and age, and every browser with its pages.',
  'get /settings':
    'Returns each setting with its value, its default and its environment variable. Secrets are not shown.',
  'get /diagnostics/{name}':
    'Returns settings, versions, the process, hosts, recent errors and events, for a bug report. `name` is a job id, the name of a worker, or `service`.',
  'post /diagnostics/{name}/profile':
    'Records a CPU profile, or takes a heap snapshot, and returns the file. The process is slower meanwhile.',
  'post /gc':
    'Deletes data whose retention time is over, in addition to the regular runs. With `dry_run` it only counts.',
  'delete /hosts/{host}/data':
    'Erases records, pages, files and outputs of the host in all jobs of all workspaces. The receipt says what was erased.',
  'get /healthz': 'Returns 200 while the process can respond. It needs no key and runs no other checks.',
  'get /health': 'Returns the version, the uptime, and the state of browsers, proxies and the queue.',
  'get /readiness':
    'Returns 200 if all checks pass. Otherwise returns 503 with the problem of each failed check.',
}
