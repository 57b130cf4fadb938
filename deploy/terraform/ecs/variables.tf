variable "name" {
  description = "The prefix of the names of all resources."
  type        = string
  default     = "kscrape"
}

variable "region" {
  description = "The AWS region."
  type        = string
  default     = "eu-central-1"
}

variable "vpc_id" {
  description = "The VPC, with the data stores in it (deploy/terraform/eks creates one)."
  type        = string
}

variable "subnet_ids" {
  description = "Private subnets with internet access."
  type        = list(string)
}

variable "public_subnet_ids" {
  description = "Subnets of the load balancer."
  type        = list(string)
}

variable "certificate_arn" {
  description = "Certificate of the API's host name."
  type        = string
}

variable "images" {
  description = "The two images with their tags, as ci/build-images.sh pushes them."
  type        = object({ slim = string, browser = string })
}

variable "secret_arn" {
  description = "Secrets Manager secret with DATABASE_URL, REDIS_URL, SCRAPER_API_KEY and SCRAPER_CLUSTER_SECRET."
  type        = string
}

variable "kms_key_arn" {
  description = "The KMS key that encrypts the secret and the bucket."
  type        = string
}

variable "data_security_group_id" {
  description = "Security group of PostgreSQL, Redis and the endpoint of S3; it gets a rule for the roles."
  type        = string
}

variable "agent_image" {
  description = "The CloudWatch agent, with its version."
  type        = string
}

variable "bucket" {
  description = "S3_BUCKET."
  type        = string
}

variable "otlp_endpoint" {
  description = "The target of traces, like http://collector.internal:4318. Empty for no traces."
  type        = string
  default     = ""
}

variable "roles" {
  description = "The roles of the cluster: CPU units and MB of each task, fewest and most tasks, the queue that they follow, and `per`: the runnable tasks for one ECS task."
  type = map(object({
    cpu     = number
    memory  = number
    min     = number
    max     = number
    queue   = optional(string)
    per     = optional(number)
    browser = optional(bool, false)
  }))
  default = {
    api            = { cpu = 512, memory = 1024, min = 2, max = 10 }
    coordinator    = { cpu = 512, memory = 1024, min = 2, max = 2 }
    ingest         = { cpu = 512, memory = 1024, min = 0, max = 10, queue = "ingest", per = 1 }
    http-worker    = { cpu = 1024, memory = 2048, min = 0, max = 100, queue = "fetch.http", per = 500 }
    browser-worker = { cpu = 2048, memory = 8192, min = 0, max = 50, queue = "fetch.browser", per = 100, browser = true }
    processor      = { cpu = 1024, memory = 2048, min = 0, max = 50, queue = "process", per = 10000 }
  }
}

variable "alarm_topic_arn" {
  description = "The SNS topic that gets the alarms."
  type        = string
}

variable "queue" {
  description = "Whether to create an SQS queue for items and a DynamoDB table for their state. Results are then at {job_id}/… in the bucket."
  type        = bool
  default     = false
}

variable "intake" {
  description = "The role sqs-intake if `queue` is true, with the fields of `roles`."
  type = object({
    cpu     = number
    memory  = number
    min     = number
    max     = number
    queue   = optional(string)
    per     = optional(number)
    browser = optional(bool, false)
  })
  default = { cpu = 512, memory = 1024, min = 1, max = 5 }
}
