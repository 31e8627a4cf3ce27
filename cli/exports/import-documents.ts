import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedDocuments, ExportedStackReader } from './exported-stack.ts'
import { formatSettingCommand, namedForm, type PlannedSetting } from './planned-setting.ts'
import { createNotificationBody, createScheduleBody, describeDeliveries } from './setting-kinds.ts'

/**
 * Returns the settings that `importDocuments` gives a stack: its tags, its rule for approvals, its
 * schedules, and its notifications without a secret. Schedules are paused. Schedules and
 * notifications that the target has are kept. Changes nothing.
 */
export async function planDocuments(
  session: CliSession,
  { id, readDocuments }: Pick<ExportedStackReader, 'id' | 'readDocuments'>,
): Promise<readonly PlannedSetting[]> {
  const engine = await session.openEngine()
  const { tags, approvalRule, schedules, notifications } = readDocuments()
  const isMissingStack = (await engine.platform.catalog.getStack(id)) === undefined
  const path = stackPathOf(id)
  const createSetting = (
    setting: Pick<PlannedSetting, 'noun' | 'name' | 'path' | 'body' | 'command' | 'effect'>,
  ) => {
    return { group: defaultGroup, stack: id, ...setting, path: `${path}/${setting.path}` }
  }
  const listMissing = async (
    list: 'schedules' | 'notifications',
    settings: ExportedDocuments['schedules'],
  ): Promise<ExportedDocuments['schedules']> => {
    if (isMissingStack || settings.length === 0) return settings
    const presentSettings = await listAllItems(engine, `${path}/${list}`, namedForm)
    return settings.filter(({ name }) => !presentSettings.some(setting => setting.name === name))
  }
  const documentPathOf = (list: string, name: string) => `${list}/${encodeURIComponent(name)}`
  const tagText = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  const ruleCommand = [
    ...['stack', 'approval', '--stack', id, '--require', approvalRule.commands.join(',')],
    ...['--expire-hours', String(approvalRule.expiresAfterHours)],
  ]
  return [
    ...(tagText.length === 0
      ? []
      : [createSetting({ noun: 'tags', name: tagText.join(', '), path: 'tags', body: { tags } })]),
    ...(approvalRule.commands.length === 0
      ? []
      : [
          createSetting({
            noun: 'approval rule',
            name: '',
            path: 'approval-rule',
            body: approvalRule,
            command: formatSettingCommand({ args: ruleCommand }, defaultGroup),
          }),
        ]),
    ...(await listMissing('schedules', schedules)).map(({ name, value }) =>
      createSetting({
        noun: 'schedule',
        name,
        path: documentPathOf('schedules', name),
        body: createScheduleBody(value),
      }),
    ),
    ...(await listMissing('notifications', notifications)).flatMap(({ name, value }) => {
      const body = createNotificationBody(value)
      const effect = describeDeliveries(value)
      const documentPath = documentPathOf('notifications', name)
      return body === undefined
        ? []
        : [createSetting({ noun: 'notification', name, path: documentPath, body, effect })]
    }),
  ]
}

/** Gives a stack the settings of its export that `planDocuments` returns. */
export async function importDocuments(
  session: CliSession,
  reader: Pick<ExportedStackReader, 'id' | 'readDocuments'>,
): Promise<void> {
  const { callApi } = await session.openEngine()
  for (const { path, body } of await planDocuments(session, reader))
    await callApi({ method: 'PUT', path, body })
}
