/** The fields of a schedule that its runs set, and not its owner. */
const runFields: ReadonlySet<string> = new Set([
  ...['createdAt', 'lastAt', 'lastRunAt', 'recentRuns', 'placed'],
])

/** Returns the settings of a schedule, which the API accepts in a change of the schedule. */
export function settingsOfSchedule(schedule: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schedule).filter(([field]) => !runFields.has(field)))
}
