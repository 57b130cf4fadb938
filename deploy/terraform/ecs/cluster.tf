resource "aws_ecs_cluster" "main" {
  name = var.name
  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

resource "aws_cloudwatch_log_group" "roles" {
  for_each          = local.all_roles
  name              = "/${var.name}/${each.key}"
  retention_in_days = 30
}

# The agent writes its measurements to this log group, and CloudWatch turns them into metrics.
resource "aws_cloudwatch_log_group" "figures" {
  name              = "/${var.name}/figures"
  retention_in_days = 7
}

resource "aws_security_group" "roles" {
  name        = "${var.name}-roles"
  description = "Tasks of every role: may connect to the web and the data stores; only the load balancer connects to them"
  vpc_id      = var.vpc_id
}

resource "aws_vpc_security_group_egress_rule" "roles" {
  security_group_id = aws_security_group.roles.id
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}

resource "aws_vpc_security_group_ingress_rule" "data" {
  for_each                     = { postgres = 5432, redis = 6379, endpoints = 443 }
  security_group_id            = var.data_security_group_id
  referenced_security_group_id = aws_security_group.roles.id
  ip_protocol                  = "tcp"
  from_port                    = each.value
  to_port                      = each.value
  description                  = "${var.name}: ${each.key}"
}

resource "aws_vpc_security_group_ingress_rule" "api" {
  security_group_id            = aws_security_group.roles.id
  referenced_security_group_id = aws_security_group.balancer.id
  ip_protocol                  = "tcp"
  from_port                    = 8001
  to_port                      = 8001
}
