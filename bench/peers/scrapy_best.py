"""Scrapy at its best: lxml by hand, dedupe before a request is made, one item at a time. ORIGIN OUT"""
import json
import sys
from urllib.parse import urljoin

import lxml.html
import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy_settings import settings

origin, out = sys.argv[1:]


class Spider(scrapy.Spider):
    name = "best"
    start_urls = [f"{origin}/"]
    seen = {f"{origin}/"}

    def parse(self, response):
        tree = lxml.html.fromstring(response.body, parser=lxml.html.HTMLParser(encoding="utf-8"))
        yield {
            "url": response.url,
            "title": tree.findtext(".//title"),
            "canonical": tree.xpath("string(//link[@rel='canonical']/@href)"),
            "price": tree.xpath("string(//*[@class='price'])"),
            "description": tree.xpath("string(//meta[@name='description']/@content)"),
            "sku": json.loads(tree.findtext(".//script[@type='application/ld+json']"))["sku"],
        }
        for href in tree.xpath("//a/@href"):
            url = urljoin(response.url, href)
            if url not in self.seen:
                self.seen.add(url)
                yield scrapy.Request(url, dont_filter=True)


process = CrawlerProcess(settings(out, CONCURRENT_ITEMS=1))
process.crawl(Spider)
process.start()
