variable "name" {
  description = "Stands in the name of everything that is made."
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
  description = "Version of the cluster; that of the Cluster Autoscaler follows it."
  type        = string
  default     = "1.34"
}

variable "database_class" {
  description = "Size of PostgreSQL; docs/scaling.md says which for how many pages a month."
  type        = string
  default     = "db.m7g.large"
}

variable "database_gb" {
  description = "Disk of PostgreSQL to begin with; it grows by itself up to ten times that."
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
  description = "Fewest and most nodes for browser workers; none while none is needed."
  type        = object({ min = number, max = number, type = string })
  default     = { min = 0, max = 20, type = "m7i.xlarge" }
}

variable "repository" {
  description = "The repository on GitHub whose workflow may deploy, as owner/name."
  type        = string
}

variable "environment" {
  description = "Which of its environments this account is: staging or production."
  type        = string
}
