# One task definition and one service per role. Each first migrates the tables to its version.
locals {
  all_roles = merge(var.roles, local.intake_roles)
  settings = {
    SCRAPER_HOST        = "0.0.0.0"
    SCRAPER_HEALTH_PORT = "9464"
    SCRAPER_DATA_DIR    = "/data"
    SCRAPER_TRUST_PROXY = "true"
    S3_BUCKET           = var.bucket
    AWS_REGION          = var.region
    # The only writable folder. In the image it belongs to the user of the program.
    TMPDIR = "/data"
    # If this is empty, nothing is traced.
    OTEL_EXPORTER_OTLP_ENDPOINT = var.otlp_endpoint
  }
  secrets = [for key in ["DATABASE_URL", "REDIS_URL", "SCRAPER_API_KEY", "SCRAPER_CLUSTER_SECRET"] : {
    name      = key
    valueFrom = "${var.secret_arn}:${key}::"
  }]
  # On Fargate, Chromium cannot create the namespaces of its sandbox, and the program starts Chromium without a
  # sandbox only as root. So browser workers run as root, in a virtual machine of their own, with write access
  # to /data only.
  dropped_for_browsers = [
    "AUDIT_WRITE", "CHOWN", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
  ]
  container = {
    environment            = [for key, value in merge(local.settings, local.queue_settings) : { name = key, value = value }]
    secrets                = local.secrets
    readonlyRootFilesystem = true
    user                   = "1000"
    linuxParameters        = { initProcessEnabled = false, capabilities = { drop = ["ALL"] } }
    mountPoints            = [{ sourceVolume = "scratch", containerPath = "/data" }]
  }
}

resource "aws_ecs_task_definition" "roles" {
  for_each                 = local.all_roles
  family                   = "${var.name}-${each.key}"
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = each.value.cpu
  memory                   = each.value.memory
  execution_role_arn       = aws_iam_role.execution.arn
  task_role_arn            = aws_iam_role.task.arn

  volume {
    name = "scratch"
  }

  container_definitions = jsonencode(concat(
    [
      merge(local.container, {
        name      = "migrate"
        image     = var.images.slim
        command   = ["migrate", "--json"]
        essential = false
        logConfiguration = {
          logDriver = "awslogs"
          options   = { awslogs-group = aws_cloudwatch_log_group.roles[each.key].name, awslogs-region = var.region, awslogs-stream-prefix = "migrate" }
        }
      }),
      merge(local.container, {
        name         = "kscrape"
        image        = each.value.browser ? var.images.browser : var.images.slim
        command      = ["start", each.key]
        user         = each.value.browser ? "0" : local.container.user
        linuxParameters = {
          initProcessEnabled = false
          capabilities       = { drop = each.value.browser ? local.dropped_for_browsers : ["ALL"] }
        }
        essential    = true
        stopTimeout  = 50
        dependsOn    = [{ containerName = "migrate", condition = "SUCCESS" }]
        portMappings = each.key == "api" ? [{ containerPort = 8001 }] : []
        healthCheck  = { command = ["CMD", "node", "/app/alive.js"], interval = 10, timeout = 5, retries = 6, startPeriod = 60 }
        logConfiguration = {
          logDriver = "awslogs"
          options   = { awslogs-group = aws_cloudwatch_log_group.roles[each.key].name, awslogs-region = var.region, awslogs-stream-prefix = "kscrape" }
        }
      }),
    ],
    # The agent runs beside the coordinator and sends kscrape_runnable to CloudWatch, which scales the other roles.
    each.key != "coordinator" ? [] : [{
      name      = "cloudwatch-agent"
      image     = var.agent_image
      essential = false
      environment = [
        { name = "CW_CONFIG_CONTENT", value = local.agent_config },
        { name = "PROMETHEUS_CONFIG_CONTENT", value = local.prometheus_config },
      ]
    }],
  ))
}

resource "aws_ecs_service" "roles" {
  for_each               = local.all_roles
  name                   = each.key
  cluster                = aws_ecs_cluster.main.id
  task_definition        = aws_ecs_task_definition.roles[each.key].arn
  launch_type            = "FARGATE"
  desired_count          = each.value.min
  enable_execute_command = false

  deployment_circuit_breaker {
    enable   = true
    rollback = true
  }
  network_configuration {
    subnets         = var.subnet_ids
    security_groups = [aws_security_group.roles.id]
  }
  dynamic "load_balancer" {
    for_each = each.key == "api" ? [aws_lb_target_group.api.arn] : []
    content {
      target_group_arn = load_balancer.value
      container_name   = "kscrape"
      container_port   = 8001
    }
  }
  lifecycle {
    # After the first apply, auto scaling changes this number.
    ignore_changes = [desired_count]
  }
}
