# The queue that supplies items and the table that mirrors their state. Both exist only if `queue` is true.
locals {
  queues = var.queue ? toset(["items"]) : toset([])
  queue_settings = var.queue ? {
    SCRAPER_SQS_QUEUE_URL       = aws_sqs_queue.items["items"].url
    SCRAPER_SQS_DEAD_LETTER_URL = aws_sqs_queue.dead["items"].url
    SCRAPER_DYNAMODB_TABLE      = aws_dynamodb_table.items["items"].name
    # Results at {job_id}/items/{item_id}/…
    S3_KEYS = "seed"
  } : {}
  intake_roles = var.queue ? { sqs-intake = var.intake } : {}
}

resource "aws_sqs_queue" "dead" {
  for_each                  = local.queues
  name                      = "${var.name}-dead"
  message_retention_seconds = 1209600
  kms_master_key_id         = var.kms_key_arn
}

resource "aws_sqs_queue" "items" {
  for_each                  = local.queues
  name                      = "${var.name}-items"
  message_retention_seconds = 1209600
  # For other consumers of the queue: the intake sets its own visibility timeout.
  visibility_timeout_seconds = 60
  receive_wait_time_seconds  = 20
  kms_master_key_id          = var.kms_key_arn
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead[each.key].arn
    maxReceiveCount     = 5
  })
}

resource "aws_dynamodb_table" "items" {
  for_each     = local.queues
  name         = "${var.name}-job-items"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "job_id"
  range_key    = "item_id"
  attribute {
    name = "job_id"
    type = "S"
  }
  attribute {
    name = "item_id"
    type = "S"
  }
  point_in_time_recovery {
    enabled = true
  }
  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

data "aws_iam_policy_document" "queue" {
  for_each = local.queues
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.items[each.key].arn]
  }
  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.dead[each.key].arn]
  }
  statement {
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.items[each.key].arn]
  }
}

resource "aws_iam_role_policy" "queue" {
  for_each = local.queues
  role     = aws_iam_role.task.id
  policy   = data.aws_iam_policy_document.queue[each.key].json
}

# One ECS task of the intake for every thousand messages in the queue.
resource "aws_appautoscaling_target" "intake" {
  for_each           = local.queues
  service_namespace  = "ecs"
  scalable_dimension = "ecs:service:DesiredCount"
  resource_id        = "service/${aws_ecs_cluster.main.name}/${aws_ecs_service.roles["sqs-intake"].name}"
  min_capacity       = var.intake.min
  max_capacity       = var.intake.max
}

resource "aws_appautoscaling_policy" "intake" {
  for_each           = local.queues
  name               = "sqs-intake"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.intake[each.key].service_namespace
  scalable_dimension = aws_appautoscaling_target.intake[each.key].scalable_dimension
  resource_id        = aws_appautoscaling_target.intake[each.key].resource_id

  target_tracking_scaling_policy_configuration {
    target_value = 1000
    customized_metric_specification {
      namespace   = "AWS/SQS"
      metric_name = "ApproximateNumberOfMessagesVisible"
      statistic   = "Average"
      dimensions {
        name  = "QueueName"
        value = aws_sqs_queue.items[each.key].name
      }
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "dead_letters" {
  for_each            = local.queues
  alarm_name          = "${var.name}-dead-letters"
  alarm_description   = "Messages that could not become tasks; each has its reason."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.dead[each.key].name }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  alarm_actions       = [var.alarm_topic_arn]
}
