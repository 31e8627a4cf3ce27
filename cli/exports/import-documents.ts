import * as z from 'zod'
import { stackPathOf } from '../remote/stack-path.ts'
import { listAllItems } from '../remote/api-pages.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedDocuments, ExportedStackReader } from './exported-stack.ts'
import { createNotificationBody, createScheduleBody } from './setting-kinds.ts'

const namedForm = z.looseObject({ name: z.string() })

/**
 * Gives a stack the tags, the rule for approvals, the schedules, and the notifications without a
 * secret of its export. The schedules are paused. Schedules and notifications that the target has
 * are kept.
 */
export async function importDocuments(
  session: CliSession,
  { id, readDocuments }: ExportedStackReader,
): Promise<void> {
  const engine = await session.openEngine()
  const { tags, approvalRule, schedules, notifications } = readDocuments()
  const put = (name: string, body: unknown) =>
    engine.callApi({ method: 'PUT', path: `${stackPathOf(id)}/${name}`, body })
  if (Object.keys(tags).length > 0) await put('tags', { tags })
  const { commands } = z.looseObject({ commands: z.array(z.string()) }).parse(approvalRule)
  if (commands.length > 0) await put('approval-rule', approvalRule)
  const putMissing = async (
    list: 'schedules' | 'notifications',
    settings: ExportedDocuments['schedules'],
    createBody: (value: ExportedDocuments['schedules'][number]['value']) => object | undefined,
  ): Promise<void> => {
    const present = await listAllItems(engine, `${stackPathOf(id)}/${list}`, namedForm)
    for (const { name, value } of settings) {
      const body = createBody(value)
      if (body === undefined || present.some(setting => setting.name === name)) continue
      await put(`${list}/${encodeURIComponent(name)}`, body)
    }
  }
  await putMissing('schedules', schedules, createScheduleBody)
  await putMissing('notifications', notifications, createNotificationBody)
}
