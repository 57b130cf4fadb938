# The number of workers follows the runnable work. Step scaling can start from zero, which target tracking cannot. If nothing runs or becomes due, it goes down to zero.
locals {
  followers = { for name, role in var.roles : name => role if role.queue != null }
  agent_config = jsonencode({
    logs = {
      metrics_collected = {
        prometheus = {
          log_group_name         = aws_cloudwatch_log_group.figures.name
          prometheus_config_path = "env:PROMETHEUS_CONFIG_CONTENT"
          emf_processor = {
            metric_namespace = var.name
            metric_declaration = [{
              source_labels    = ["job"]
              label_matcher    = "^kscrape$"
              dimensions       = [["queue"]]
              metric_selectors = ["^kscrape_runnable$"]
            }]
          }
        }
      }
    }
  })
  prometheus_config = yamlencode({
    global         = { scrape_interval = "15s" }
    scrape_configs = [{ job_name = "kscrape", static_configs = [{ targets = ["localhost:9464"] }] }]
  })
}

resource "aws_appautoscaling_target" "followers" {
  for_each           = local.followers
  service_namespace  = "ecs"
  scalable_dimension = "ecs:service:DesiredCount"
  resource_id        = "service/${aws_ecs_cluster.main.name}/${aws_ecs_service.roles[each.key].name}"
  min_capacity       = each.value.min
  max_capacity       = each.value.max
}

resource "aws_appautoscaling_policy" "up" {
  for_each           = local.followers
  name               = "${each.key}-up"
  policy_type        = "StepScaling"
  service_namespace  = aws_appautoscaling_target.followers[each.key].service_namespace
  scalable_dimension = aws_appautoscaling_target.followers[each.key].scalable_dimension
  resource_id        = aws_appautoscaling_target.followers[each.key].resource_id

  step_scaling_policy_configuration {
    adjustment_type         = "ExactCapacity"
    cooldown                = 60
    metric_aggregation_type = "Maximum"
    # Distances from the alarm's threshold of 0, as multiples of the runnable work for one ECS task.
    dynamic "step_adjustment" {
      for_each = { for step in [1, 2, 5, 10, 20, 50, 100] : step => step if step <= each.value.max }
      content {
        metric_interval_lower_bound = step_adjustment.value == 1 ? 0 : (step_adjustment.value - 1) * each.value.per
        scaling_adjustment          = step_adjustment.value
        metric_interval_upper_bound = step_adjustment.value == max([for step in [1, 2, 5, 10, 20, 50, 100] : step if step <= each.value.max]...) ? null : (element([for step in [1, 2, 5, 10, 20, 50, 100] : step if step > step_adjustment.value], 0) - 1) * each.value.per
      }
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "runnable" {
  for_each            = local.followers
  alarm_name          = "${var.name}-${each.key}-has-work"
  namespace           = var.name
  metric_name         = "kscrape_runnable"
  dimensions          = { queue = each.value.queue }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  comparison_operator = "GreaterThanThreshold"
  threshold           = 0
  alarm_actions       = [aws_appautoscaling_policy.up[each.key].arn]
}

resource "aws_appautoscaling_policy" "down" {
  for_each           = local.followers
  name               = "${each.key}-down"
  policy_type        = "StepScaling"
  service_namespace  = aws_appautoscaling_target.followers[each.key].service_namespace
  scalable_dimension = aws_appautoscaling_target.followers[each.key].scalable_dimension
  resource_id        = aws_appautoscaling_target.followers[each.key].resource_id

  step_scaling_policy_configuration {
    adjustment_type         = "ExactCapacity"
    cooldown                = 60
    metric_aggregation_type = "Maximum"
    step_adjustment {
      metric_interval_upper_bound = 0
      scaling_adjustment          = each.value.min
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "idle" {
  for_each            = local.followers
  alarm_name          = "${var.name}-${each.key}-idle"
  namespace           = var.name
  metric_name         = "kscrape_runnable"
  dimensions          = { queue = each.value.queue }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 5
  comparison_operator = "LessThanOrEqualToThreshold"
  threshold           = 0
  alarm_actions       = [aws_appautoscaling_policy.down[each.key].arn]
}

resource "aws_appautoscaling_target" "api" {
  service_namespace  = "ecs"
  scalable_dimension = "ecs:service:DesiredCount"
  resource_id        = "service/${aws_ecs_cluster.main.name}/${aws_ecs_service.roles["api"].name}"
  min_capacity       = var.roles["api"].min
  max_capacity       = var.roles["api"].max
}

resource "aws_appautoscaling_policy" "api" {
  for_each           = { cpu = "ECSServiceAverageCPUUtilization", memory = "ECSServiceAverageMemoryUtilization" }
  name               = "api-${each.key}"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.api.service_namespace
  scalable_dimension = aws_appautoscaling_target.api.scalable_dimension
  resource_id        = aws_appautoscaling_target.api.resource_id

  target_tracking_scaling_policy_configuration {
    target_value = 70
    predefined_metric_specification {
      predefined_metric_type = each.value
    }
  }
}
