output "api" {
  description = "Where the API is; point the host name of the certificate there."
  value       = aws_lb.api.dns_name
}
