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

variable "zones" {
  description = "Three availability zones of the region."
  type        = list(string)
  default     = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
}

variable "kubernetes_version" {
  description = "The Kubernetes version of the cluster. The Cluster Autoscaler must have the same minor version."
  type        = string
  default     = "1.34"
}

variable "database_class" {
  description = "The instance size of PostgreSQL. docs/scaling.md has sizes by pages per month."
  type        = string
  default     = "db.m7g.large"
}

variable "database_gb" {
  description = "The initial disk of PostgreSQL in GB. It grows automatically up to ten times that."
  type        = number
  default     = 100
}

variable "cache_class" {
  description = "Size of Redis."
  type        = string
  default     = "cache.t4g.medium"
}

variable "worker_nodes" {
  description = "Fewest and most nodes for roles without a browser."
  type        = object({ min = number, max = number, type = string })
  default     = { min = 2, max = 20, type = "c7g.xlarge" }
}

variable "browser_nodes" {
  description = "Fewest and most nodes for browser workers. With 0 as the minimum there are none while no page needs a browser."
  type        = object({ min = number, max = number, type = string })
  default     = { min = 0, max = 20, type = "m7i.xlarge" }
}

variable "repository" {
  description = "The repository on GitHub whose workflow may deploy, as owner/name."
  type        = string
}

variable "environment" {
  description = "The GitHub environment of this account: staging or production."
  type        = string
}
