output "api" {
  description = "The address of the API. Point the host name of the certificate to it."
  value       = aws_lb.api.dns_name
}

output "queue" {
  description = "The URL of the queue for items; null without `queue`."
  value       = one([for queue in aws_sqs_queue.items : queue.url])
}

output "table" {
  description = "The DynamoDB table with the state of items; null without `queue`."
  value       = one([for table in aws_dynamodb_table.items : table.name])
}
