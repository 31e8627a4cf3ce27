'use strict'
// The program that replaces main.tf. `time_offset.reminder[0]` of Terraform is `reminder-0` here.
const { Offset, Static } = require('@pulumi/time')

const release = new Static('release', { rfc3339: '2026-03-01T09:00:00Z' })

const reminders = [0, 1].map(
  index =>
    new Offset(`reminder-${index}`, {
      baseRfc3339: release.rfc3339,
      offsetDays: 7 * (index + 1),
    }),
)

exports.reminders = reminders.map(({ rfc3339 }) => rfc3339)
