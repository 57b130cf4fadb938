# IAM roles. All roles of kscrape share one IAM role. It may read, write and delete objects of the bucket, and nothing else.
data "aws_iam_policy_document" "by_eks" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["eks.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "cluster" {
  name               = "${var.name}-cluster"
  assume_role_policy = data.aws_iam_policy_document.by_eks.json
}

resource "aws_iam_role_policy_attachment" "cluster" {
  role       = aws_iam_role.cluster.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
}

data "aws_iam_policy_document" "by_ec2" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["ec2.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "nodes" {
  name               = "${var.name}-nodes"
  assume_role_policy = data.aws_iam_policy_document.by_ec2.json
}

resource "aws_iam_role_policy_attachment" "nodes" {
  for_each   = toset(["AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly"])
  role       = aws_iam_role.nodes.name
  policy_arn = "arn:aws:iam::aws:policy/${each.key}"
}

locals {
  issuer = replace(aws_iam_openid_connect_provider.main.url, "https://", "")
  # Namespace and name of the service accounts, by the IAM role that they assume.
  accounts = {
    cluster-autoscaler = ["kube-system:cluster-autoscaler"]
    external-secrets   = ["kscrape:external-secrets"]
    pages              = [for role in ["api", "ingest", "http-worker", "browser-worker", "processor", "coordinator"] : "kscrape:${role}"]
  }
}

data "aws_iam_policy_document" "by_account" {
  for_each = local.accounts
  statement {
    actions = ["sts:AssumeRoleWithWebIdentity"]
    principals {
      type        = "Federated"
      identifiers = [aws_iam_openid_connect_provider.main.arn]
    }
    condition {
      test     = "StringEquals"
      variable = "${local.issuer}:sub"
      values   = [for account in each.value : "system:serviceaccount:${account}"]
    }
    condition {
      test     = "StringEquals"
      variable = "${local.issuer}:aud"
      values   = ["sts.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "accounts" {
  for_each           = local.accounts
  name               = "${var.name}-${each.key}"
  assume_role_policy = data.aws_iam_policy_document.by_account[each.key].json
}

data "aws_iam_policy_document" "autoscaler" {
  statement {
    actions = [
      "autoscaling:DescribeAutoScalingGroups",
      "autoscaling:DescribeAutoScalingInstances",
      "autoscaling:DescribeLaunchConfigurations",
      "autoscaling:DescribeScalingActivities",
      "autoscaling:DescribeTags",
      "ec2:DescribeImages",
      "ec2:DescribeInstanceTypes",
      "ec2:DescribeLaunchTemplateVersions",
      "ec2:GetInstanceTypesFromInstanceRequirements",
      "eks:DescribeNodegroup",
    ]
    resources = ["*"]
  }
  statement {
    actions   = ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"]
    resources = ["*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/k8s.io/cluster-autoscaler/${var.name}"
      values   = ["owned"]
    }
  }
}

resource "aws_iam_role_policy" "autoscaler" {
  role   = aws_iam_role.accounts["cluster-autoscaler"].id
  policy = data.aws_iam_policy_document.autoscaler.json
}

data "aws_iam_policy_document" "secrets" {
  statement {
    actions   = ["secretsmanager:GetSecretValue", "secretsmanager:DescribeSecret"]
    resources = [aws_secretsmanager_secret.services.arn]
  }
  statement {
    actions   = ["ssm:GetParameter", "ssm:GetParameters"]
    resources = [aws_ssm_parameter.bucket.arn]
  }
  statement {
    # The key that encrypts the secret.
    actions   = ["kms:Decrypt"]
    resources = [aws_kms_key.main.arn]
  }
}

resource "aws_iam_role_policy" "secrets" {
  role   = aws_iam_role.accounts["external-secrets"].id
  policy = data.aws_iam_policy_document.secrets.json
}

data "aws_iam_policy_document" "pages" {
  statement {
    actions   = ["s3:ListBucket", "s3:ListBucketMultipartUploads"]
    resources = [aws_s3_bucket.pages.arn]
  }
  statement {
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]
    resources = ["${aws_s3_bucket.pages.arn}/*"]
  }
  statement {
    actions   = ["kms:Decrypt", "kms:GenerateDataKey"]
    resources = [aws_kms_key.main.arn]
  }
}

resource "aws_iam_role_policy" "pages" {
  role   = aws_iam_role.accounts["pages"].id
  policy = data.aws_iam_policy_document.pages.json
}

# Fill it in once by hand, so that the values are not in the Terraform state.
resource "aws_secretsmanager_secret" "services" {
  name       = "${var.name}/services"
  kms_key_id = aws_kms_key.main.arn
}

resource "aws_ssm_parameter" "bucket" {
  name  = "/${var.name}/bucket"
  type  = "String"
  value = aws_s3_bucket.pages.id
}
