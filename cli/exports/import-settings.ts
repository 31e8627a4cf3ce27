import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { DeployError, createError } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { stackPathOf } from '../remote/stack-path.ts'
import type { CliSession } from '../session/session.ts'
import type { ExportedStackReader } from './exported-stack.ts'
import {
  createGroupCaller,
  listExportedGroups,
  listGroupNames,
  settingsFileOf,
} from './installation-settings.ts'
import { createInvalidError } from './manifest.ts'
import { formatSettingCommand, namedForm, type PlannedSetting } from './planned-setting.ts'
import {
  createNotificationBody,
  describeNotificationCommand,
  exportedSettingForm,
  type SettingKind,
  settingKinds,
} from './setting-kinds.ts'

const settingsForm = createRecordForm(z.array(exportedSettingForm))

/** The settings that an import stores, and the steps that it leaves to the user, one per line. */
export interface SettingsPlan {
  readonly imports: readonly PlannedSetting[]
  readonly manualSteps: readonly string[]
}

type MutablePlan = { readonly imports: PlannedSetting[]; readonly manualSteps: string[] }

/**
 * Plans the import of the settings of groups and of the installation, which belong to no stack.
 * Lists the steps that remain. Settings that the target has are kept. Changes nothing. Throws
 * EXPORT_INVALID for unknown settings, and the errors of the API.
 */
export async function planSettings(
  session: CliSession,
  root: string,
  readers: readonly ExportedStackReader[],
): Promise<SettingsPlan> {
  const engine = await session.openEngine()
  const plan: MutablePlan = { imports: [], manualSteps: [] }
  const targetGroups = await listGroupNames(engine)
  for (const group of listExportedGroups(root)) {
    const isKnownGroup = targetGroups.includes(group)
    for (const [kind, items] of readSettings(root, group)) {
      if (items.length === 0) continue
      const { callApi } = createGroupCaller(engine, group)
      const presentSettings = isKnownGroup
        ? await listAllItems({ callApi }, kind.path, namedForm)
        : []
      const isUsable = engine.remote !== undefined || kind.needsApi !== true
      for (const item of items.filter(
        ({ name }) => !presentSettings.some(existing => existing.name === name),
      ))
        addSetting(plan, { kind, item, group, isKnownGroup, isUsable })
    }
  }
  for (const reader of readers) plan.manualSteps.push(...(await listStackSteps(session, reader)))
  return plan
}

/** Returns the settings of a group by their kinds. Throws EXPORT_INVALID. */
function readSettings(
  root: string,
  group: string,
): readonly (readonly [SettingKind, readonly z.infer<typeof exportedSettingForm>[]])[] {
  const file = settingsFileOf(group)
  const path = join(root, file)
  if (!existsSync(path)) throw createInvalidError(`${file} is missing`)
  const settings = settingsForm.safeParse(parseJson(readFileSync(path, 'utf8')))
  if (!settings.success) throw createInvalidError(`${file} has an unknown format`)
  return Object.entries(settings.data).map(([name, items]) => {
    const kind = Object.hasOwn(settingKinds, name) ? settingKinds[name] : undefined
    if (kind !== undefined) return [kind, items] as const
    throw createInvalidError(
      `${file} has the unknown kind '${name}'`,
      'Use the version of Antichain that wrote it, or a newer one; nothing was imported.',
    )
  })
}

function addSetting(
  { imports, manualSteps }: MutablePlan,
  setting: {
    readonly kind: SettingKind
    readonly item: z.infer<typeof exportedSettingForm>
    readonly group: string
    readonly isKnownGroup: boolean
    readonly isUsable: boolean
  },
): void {
  const { kind, group } = setting
  const { name, value } = setting.item
  const label = `${kind.noun} ${name}${group === defaultGroup ? '' : ` of the group ${group}`}`
  if (!setting.isKnownGroup) {
    manualSteps.push(`${label}: add the group to the setting \`groups\`, and import again`)
    return
  }
  if (!setting.isUsable) {
    manualSteps.push(`${label}: only the functions of an API use it, so log in to one`)
    return
  }
  const body = kind.createBody(value)
  const path = `${kind.path}/${encodeURIComponent(name)}`
  const command = kind.describeCommand(name, value, group)
  if (body === undefined) {
    manualSteps.push(`${label}: ${formatSettingCommand(command, group)}`)
    return
  }
  const commandField =
    kind.grantsTrust === true
      ? { command: formatSettingCommand({ args: command.args }, group) }
      : {}
  imports.push({ group, noun: kind.noun, name, path, body, ...commandField })
}

/** Returns the commands for the signed notifications that a stack of the target lacks. */
async function listStackSteps(
  session: CliSession,
  { id, readDocuments }: ExportedStackReader,
): Promise<readonly string[]> {
  const engine = await session.openEngine()
  const signedNotifications = readDocuments().notifications.filter(
    ({ value }) => createNotificationBody(value) === undefined,
  )
  const exists =
    signedNotifications.length > 0 && (await engine.platform.catalog.getStack(id)) !== undefined
  const path = `${stackPathOf(id)}/notifications`
  const presentSettings = exists ? await listAllItems(engine, path, namedForm) : []
  return signedNotifications
    .filter(({ name }) => !presentSettings.some(existing => existing.name === name))
    .map(({ name, value }) => {
      const command = formatSettingCommand(
        describeNotificationCommand(name, value, id),
        defaultGroup,
      )
      return `notification ${name} of ${id}: ${command}`
    })
}

/**
 * Stores the planned settings, and reports each one. A repeated import continues after a failure.
 * Throws the errors of the API, whose messages name the setting.
 */
export async function importSettings(
  session: CliSession,
  imports: readonly PlannedSetting[],
): Promise<void> {
  const engine = await session.openEngine()
  for (const { group, noun, name, path, body } of imports) {
    try {
      await createGroupCaller(engine, group).callApi({ method: 'PUT', path, body })
    } catch (thrown) {
      if (!(thrown instanceof DeployError)) throw thrown
      const { code, message, hint } = thrown
      const text = `cannot import the ${noun} ${toPrintable(name)}: ${message}`
      throw createError(code, text, { hint, cause: thrown })
    }
    session.printToStderr(`Imported the ${noun} ${toPrintable(name)}.`)
  }
}
