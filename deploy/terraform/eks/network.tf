# A separate network: public subnets for the load balancer, private ones for nodes, and data subnets that the network policies name.
resource "aws_vpc" "main" {
  cidr_block           = "10.0.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = var.name }
}

resource "aws_internet_gateway" "main" {
  vpc_id = aws_vpc.main.id
}

resource "aws_subnet" "public" {
  count                   = length(var.zones)
  vpc_id                  = aws_vpc.main.id
  availability_zone       = var.zones[count.index]
  cidr_block              = cidrsubnet("10.0.0.0/18", 4, count.index)
  map_public_ip_on_launch = false
  tags                    = { "kubernetes.io/role/elb" = "1" }
}

resource "aws_subnet" "nodes" {
  count             = length(var.zones)
  vpc_id            = aws_vpc.main.id
  availability_zone = var.zones[count.index]
  cidr_block        = cidrsubnet("10.0.64.0/18", 2, count.index)
  tags              = { "kubernetes.io/role/internal-elb" = "1" }
}

# deploy/kubernetes/base/shared/networkpolicies.yaml allows the roles to reach 10.0.128.0/20.
resource "aws_subnet" "data" {
  count             = length(var.zones)
  vpc_id            = aws_vpc.main.id
  availability_zone = var.zones[count.index]
  cidr_block        = cidrsubnet("10.0.128.0/20", 4, count.index)
}

resource "aws_eip" "nat" {
  count  = length(var.zones)
  domain = "vpc"
}

resource "aws_nat_gateway" "main" {
  count         = length(var.zones)
  subnet_id     = aws_subnet.public[count.index].id
  allocation_id = aws_eip.nat[count.index].id
  depends_on    = [aws_internet_gateway.main]
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.main.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.main.id
  }
}

resource "aws_route_table_association" "public" {
  count          = length(var.zones)
  subnet_id      = aws_subnet.public[count.index].id
  route_table_id = aws_route_table.public.id
}

resource "aws_route_table" "nodes" {
  count  = length(var.zones)
  vpc_id = aws_vpc.main.id
  route {
    cidr_block     = "0.0.0.0/0"
    nat_gateway_id = aws_nat_gateway.main[count.index].id
  }
}

resource "aws_route_table_association" "nodes" {
  count          = length(var.zones)
  subnet_id      = aws_subnet.nodes[count.index].id
  route_table_id = aws_route_table.nodes[count.index].id
}

# An S3 endpoint in the data subnets: pages do not pass the NAT gateway, which costs money, and network policies can name its addresses.
resource "aws_vpc_endpoint" "s3" {
  vpc_id              = aws_vpc.main.id
  service_name        = "com.amazonaws.${var.region}.s3"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = aws_subnet.data[*].id
  security_group_ids  = [aws_security_group.data.id]
  private_dns_enabled = true
  dns_options {
    private_dns_only_for_inbound_resolver_endpoint = false
  }
}

# The STS endpoint, where pods assume their IAM roles. Pods without internet access (ingest, processor) reach it here.
resource "aws_vpc_endpoint" "sts" {
  vpc_id              = aws_vpc.main.id
  service_name        = "com.amazonaws.${var.region}.sts"
  vpc_endpoint_type   = "Interface"
  subnet_ids          = aws_subnet.data[*].id
  security_group_ids  = [aws_security_group.data.id]
  private_dns_enabled = true
}

resource "aws_security_group" "data" {
  name        = "${var.name}-data"
  description = "PostgreSQL, Redis and the endpoints of S3 and STS: from the nodes alone"
  vpc_id      = aws_vpc.main.id
}

resource "aws_vpc_security_group_ingress_rule" "data" {
  for_each                     = { postgres = 5432, redis = 6379, endpoints = 443 }
  security_group_id            = aws_security_group.data.id
  referenced_security_group_id = aws_eks_cluster.main.vpc_config[0].cluster_security_group_id
  ip_protocol                  = "tcp"
  from_port                    = each.value
  to_port                      = each.value
  description                  = each.key
}
