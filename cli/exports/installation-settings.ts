import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import type { EnginePort } from '../../local/engine-port.ts'
import { apiGroupHeader, defaultGroup, isStackGroupName } from '../../shared/config/stack-groups.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { requireExportedName } from './exported-names.ts'
import { namedForm } from './planned-setting.ts'
import { rulesFileOf, settingKinds } from './setting-kinds.ts'

/** The folder with the files of all groups but the default one. */
const groupsFolder = 'groups'

const webhookForm = z.looseObject({
  name: z.string(),
  value: z.looseObject({ rules: z.unknown() }),
})
const identityForm = z.object({ groups: z.array(z.string()).default([defaultGroup]) })

type ApiCaller = Pick<EnginePort, 'callApi'>

/**
 * Returns the names of the groups of stacks of an installation, the default one first. An API of an
 * older version names none, and a machine has only the default one.
 */
export async function listGroupNames({ callApi }: ApiCaller): Promise<readonly string[]> {
  return identityForm.parse(await callApi({ method: 'GET', path: '/v1/whoami' })).groups
}

/**
 * Returns a caller of the API for the documents of a group. ANTICHAIN_GROUP has no effect on this
 * caller.
 */
export function createGroupCaller({ callApi }: ApiCaller, group: string): ApiCaller {
  return { callApi: call => callApi({ ...call, headers: { [apiGroupHeader]: group } }) }
}

/**
 * For each group, writes one file with the settings that belong to no stack. Throws
 * API_ANSWER_UNKNOWN for a name that no import accepts.
 */
export async function writeInstallationSettings(
  engine: ApiCaller,
  root: string,
  groups: readonly string[],
): Promise<void> {
  for (const group of groups) requireExportedName('group', group)
  for (const group of groups) {
    const settings: Record<string, unknown> = {}
    for (const [kind, { path, isShared }] of Object.entries(settingKinds))
      if (group === defaultGroup || isShared !== true)
        settings[kind] = await listSettings(createGroupCaller(engine, group), path)
    writePrivateJson(join(root, settingsFileOf(group)), settings)
    for (const { name, value } of z.array(webhookForm).parse(settings['webhooks']))
      writePrivateJson(join(root, rulesFileOf(group, name)), value.rules)
  }
}

/**
 * Lists the settings at a path of the API. Throws API_ANSWER_UNKNOWN for a name that no import
 * accepts.
 */
export async function listSettings(engine: ApiCaller, path: string) {
  const items = await listAllItems(engine, path, namedForm)
  for (const { name } of items) requireExportedName('setting', name)
  return items
}

/** Returns the file with the settings of a group, relative to the folder of the export. */
export function settingsFileOf(group: string): string {
  return group === defaultGroup ? 'installation.json' : `${groupsFolder}/${group}.json`
}

/** Returns the names of the groups whose settings an export has, the default one first. */
export function listExportedGroups(root: string): readonly string[] {
  const folder = join(root, groupsFolder)
  const files = existsSync(folder) ? readdirSync(folder) : []
  const names = files
    .filter(name => name.endsWith('.json'))
    .map(name => name.slice(0, -'.json'.length))
    .filter(isStackGroupName)
  return [defaultGroup, ...names.toSorted()]
}

function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, JSON.stringify(value, null, 2), { mode: 0o600 })
}
