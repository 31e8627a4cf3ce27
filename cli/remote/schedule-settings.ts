/** The fields of a schedule that the server sets, and not the user. */
const serverFields: ReadonlySet<string> = new Set([
  ...['createdAt', 'lastAt', 'lastRunAt', 'recentRuns', 'placed'],
])

/** Returns the settings of a schedule, which the API accepts in a change of the schedule. */
export function settingsOfSchedule(schedule: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(schedule).filter(([field]) => !serverFields.has(field)))
}
