output "cluster" {
  description = "aws eks update-kubeconfig --name …"
  value       = aws_eks_cluster.main.name
}

output "database" {
  description = "Host of DATABASE_URL; its password is in Secrets Manager."
  value       = aws_db_instance.main.endpoint
}

output "redis" {
  description = "Host of REDIS_URL (rediss://)."
  value       = aws_elasticache_replication_group.main.primary_endpoint_address
}

output "bucket" {
  description = "S3_BUCKET."
  value       = aws_s3_bucket.pages.id
}

output "roles" {
  description = "For the annotations of the service accounts."
  value       = { for name, role in aws_iam_role.accounts : name => role.arn }
}
