"""Scrapy, tuned: its own selectors and links, many requests at once, nothing on that is not needed. ORIGIN OUT"""
import json
import sys

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy_settings import settings

origin, out = sys.argv[1:]


class Spider(scrapy.Spider):
    name = "tuned"

    def start_requests(self):
        # Scrapy's own way with start_urls leaves the first page out of its filter and fetches it twice.
        yield scrapy.Request(f"{origin}/")

    def parse(self, response):
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "canonical": response.css("link[rel=canonical]::attr(href)").get(),
            "price": response.css(".price::text").get(),
            "description": response.css("meta[name=description]::attr(content)").get(),
            "sku": json.loads(response.css('script[type="application/ld+json"]::text').get())["sku"],
        }
        yield from response.follow_all(css="a")


process = CrawlerProcess(settings(out))
process.crawl(Spider)
process.start()
