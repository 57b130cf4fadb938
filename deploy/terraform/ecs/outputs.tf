output "api" {
  description = "Where the API is; point the host name of the certificate there."
  value       = aws_lb.api.dns_name
}

output "queue" {
  description = "Where items are sent to; null without `queue`."
  value       = one([for queue in aws_sqs_queue.items : queue.url])
}

output "table" {
  description = "Where the state of items is read; null without `queue`."
  value       = one([for table in aws_dynamodb_table.items : table.name])
}
