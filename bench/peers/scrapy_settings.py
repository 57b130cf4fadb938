"""What both Scrapy spiders run with: the defaults that cost time and are not needed here are off."""


def settings(out, **more):
    return {
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        "LOG_LEVEL": "ERROR",
        "FEEDS": {out: {"format": "jsonlines", "encoding": "utf8"}},
        **more,
    }
