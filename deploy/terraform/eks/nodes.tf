# Two node groups. The Cluster Autoscaler finds them by their tags, which EKS also puts on their scaling groups. The group for browsers is empty while no page needs one.
locals {
  autoscaler_tags = {
    "k8s.io/cluster-autoscaler/enabled"     = "true"
    "k8s.io/cluster-autoscaler/${var.name}" = "owned"
  }
}

resource "aws_eks_node_group" "workers" {
  cluster_name    = aws_eks_cluster.main.name
  node_group_name = "workers"
  node_role_arn   = aws_iam_role.nodes.arn
  subnet_ids      = aws_subnet.nodes[*].id
  instance_types  = [var.worker_nodes.type]
  ami_type        = "AL2023_ARM_64_STANDARD"
  tags            = local.autoscaler_tags

  scaling_config {
    min_size     = var.worker_nodes.min
    max_size     = var.worker_nodes.max
    desired_size = var.worker_nodes.min
  }
  lifecycle {
    # After the first apply, the Cluster Autoscaler changes this number.
    ignore_changes = [scaling_config[0].desired_size]
  }
  depends_on = [aws_iam_role_policy_attachment.nodes]
}

resource "aws_eks_node_group" "browsers" {
  cluster_name    = aws_eks_cluster.main.name
  node_group_name = "browsers"
  node_role_arn   = aws_iam_role.nodes.arn
  subnet_ids      = aws_subnet.nodes[*].id
  instance_types  = [var.browser_nodes.type]
  ami_type        = "AL2023_x86_64_STANDARD"
  tags            = local.autoscaler_tags
  # Browser workers prefer the label and tolerate the taint (deploy/kubernetes/base/browser-pod.yaml). No other
  # pod runs here.
  labels = { "kscrape/browser" = "true" }
  taint {
    key    = "kscrape/browser"
    value  = "true"
    effect = "NO_SCHEDULE"
  }

  scaling_config {
    min_size     = var.browser_nodes.min
    max_size     = var.browser_nodes.max
    desired_size = var.browser_nodes.min
  }
  lifecycle {
    ignore_changes = [scaling_config[0].desired_size]
  }
  depends_on = [aws_iam_role_policy_attachment.nodes]
}
