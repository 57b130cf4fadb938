# A dashboard, and alarms with a notification.
resource "aws_cloudwatch_dashboard" "main" {
  dashboard_name = var.name
  dashboard_body = jsonencode({
    widgets = [
      {
        type = "metric", x = 0, y = 0, width = 12, height = 6
        properties = {
          title  = "Runnable work by queue", region = var.region, stat = "Maximum", period = 60
          metrics = [for name, role in local.followers : [var.name, "kscrape_runnable", "queue", role.queue]]
        }
      },
      {
        type = "metric", x = 12, y = 0, width = 12, height = 6
        properties = {
          title  = "Tasks that run", region = var.region, stat = "Average", period = 60
          metrics = [for name, role in local.all_roles : ["ECS/ContainerInsights", "RunningTaskCount", "ClusterName", var.name, "ServiceName", name]]
        }
      },
      {
        type = "metric", x = 0, y = 6, width = 12, height = 6
        properties = {
          title  = "Answers of the API", region = var.region, stat = "Sum", period = 60
          metrics = [for code in ["2XX", "4XX", "5XX"] : ["AWS/ApplicationELB", "HTTPCode_Target_${code}_Count", "LoadBalancer", aws_lb.api.arn_suffix]]
        }
      },
      {
        type = "metric", x = 12, y = 6, width = 12, height = 6
        properties = {
          title  = "Memory in use, %", region = var.region, stat = "Maximum", period = 60
          metrics = [for name, role in local.all_roles : ["AWS/ECS", "MemoryUtilization", "ClusterName", var.name, "ServiceName", name]]
        }
      },
    ]
  })
}

resource "aws_cloudwatch_metric_alarm" "no_coordinator" {
  alarm_name          = "${var.name}-no-coordinator"
  alarm_description   = "No coordinator leads, so no task is released (docs/runbooks/no-coordinator.md)."
  namespace           = var.name
  metric_name         = "kscrape_runnable"
  dimensions          = { queue = "fetch.http" }
  statistic           = "SampleCount"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "LessThanThreshold"
  threshold           = 1
  treat_missing_data  = "breaching"
  alarm_actions       = [var.alarm_topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "api_errors" {
  alarm_name          = "${var.name}-api-errors"
  alarm_description   = "The API answers with 5xx (docs/runbooks/api-errors.md)."
  namespace           = "AWS/ApplicationELB"
  metric_name         = "HTTPCode_Target_5XX_Count"
  dimensions          = { LoadBalancer = aws_lb.api.arn_suffix }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = 20
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarm_topic_arn]
}

resource "aws_cloudwatch_metric_alarm" "no_worker" {
  for_each            = local.followers
  alarm_name          = "${var.name}-no-${each.key}"
  alarm_description   = "There is work, and no ${each.key} runs (docs/runbooks/no-worker.md)."
  evaluation_periods  = 10
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  treat_missing_data  = "notBreaching"
  alarm_actions       = [var.alarm_topic_arn]

  metric_query {
    id          = "alone"
    label       = "Work that nobody does"
    expression  = "IF(FILL(running, 0) < 1, runnable, 0)"
    return_data = true
  }
  metric_query {
    id = "runnable"
    metric {
      namespace   = var.name
      metric_name = "kscrape_runnable"
      dimensions  = { queue = each.value.queue }
      stat        = "Maximum"
      period      = 60
    }
  }
  metric_query {
    id = "running"
    metric {
      namespace   = "ECS/ContainerInsights"
      metric_name = "RunningTaskCount"
      dimensions  = { ClusterName = var.name, ServiceName = each.key }
      stat        = "Maximum"
      period      = 60
    }
  }
}
