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

output "network" {
  description = "For deploy/terraform/ecs: vpc_id, subnet_ids, public_subnet_ids, data_security_group_id."
  value = {
    vpc_id                 = aws_vpc.main.id
    subnet_ids             = aws_subnet.nodes[*].id
    public_subnet_ids      = aws_subnet.public[*].id
    data_security_group_id = aws_security_group.data.id
  }
}

output "secret" {
  description = "For deploy/terraform/ecs: secret_arn."
  value       = aws_secretsmanager_secret.services.arn
}

output "key" {
  description = "For deploy/terraform/ecs: kms_key_arn, by which the secret and the bucket are encrypted."
  value       = aws_kms_key.main.arn
}

output "deployer" {
  description = "DEPLOY_ROLE_ARN of the environment, for .github/workflows/deploy.yaml."
  value       = aws_iam_role.deployer.arn
}
