import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { parseJson } from '../../shared/values/parse-json.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedStackReader } from './exported-stack.ts'

const namedForm = z.looseObject({ name: z.string() })
const installationForm = createRecordForm(z.array(namedForm))

/** The fields of a schedule that its runs set, and not its owner. */
const runFields: ReadonlySet<string> = new Set([
  ...['createdAt', 'lastAt', 'lastRunAt', 'recentRuns', 'placed'],
])

/**
 * Gives a stack the tags, the rule for approvals and the schedules of its export. The schedules are
 * paused, because the source may still run its own. Schedules that the target has are kept.
 */
export async function importDocuments(
  session: CliSession,
  { id, readDocuments }: ExportedStackReader,
): Promise<void> {
  const engine = await session.openEngine()
  const { tags, approvalRule, schedules } = readDocuments()
  const put = (name: string, body: unknown) =>
    engine.callApi({ method: 'PUT', path: `${stackPathOf(id)}/${name}`, body })
  if (Object.keys(tags).length > 0) await put('tags', { tags })
  const { commands } = z.looseObject({ commands: z.array(z.string()) }).parse(approvalRule)
  if (commands.length > 0) await put('approval-rule', approvalRule)
  const present = await listAllItems(engine, `${stackPathOf(id)}/schedules`, namedForm)
  for (const { name, value } of schedules) {
    if (present.some(schedule => schedule.name === name)) continue
    const settings = Object.entries(value).filter(([field]) => !runFields.has(field))
    const draft = { ...Object.fromEntries(settings), isPaused: true }
    await put(`schedules/${encodeURIComponent(name)}`, draft)
  }
}

/**
 * Returns the settings that an import leaves to the user, as `<kind> <name>`. These settings have
 * files or secrets that no export contains, or concern the whole installation.
 */
export function listManualSettings(
  root: string,
  readers: readonly ExportedStackReader[],
): readonly string[] {
  const text = readFileSync(join(root, 'installation.json'), 'utf8')
  const settings = installationForm.parse(parseJson(text))
  const ofStacks = readers.flatMap(reader =>
    reader.readDocuments().notifications.map(({ name }) => `notification ${name} of ${reader.id}`),
  )
  const ofInstallation = Object.entries(settings).flatMap(([kind, items]) =>
    items.map(({ name }) => `${kind} ${name}`),
  )
  return [...ofInstallation, ...ofStacks]
}
