terraform {
  required_providers {
    time = { source = "hashicorp/time", version = "0.14.2" }
  }
}

resource "time_static" "release" {
  rfc3339 = "2026-03-01T09:00:00Z"
}

resource "time_offset" "reminder" {
  count        = 2
  base_rfc3339 = time_static.release.rfc3339
  offset_days  = 7 * (count.index + 1)
}

output "reminders" {
  value = time_offset.reminder[*].rfc3339
}
