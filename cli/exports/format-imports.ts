import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { formatTable } from '../display/table.ts'
import type { ImportStatus } from './import-stack.ts'
import type { PlannedSetting, SettingsPlan } from './import-settings.ts'
import type { ExportedStack } from './manifest.ts'

/** A stack of an export, and what the import does with it. */
export interface ImportPreview {
  readonly stack: ExportedStack
  readonly status: ImportStatus
  readonly action: 'import' | 'overwrite' | 'skip'
  /** The number of states of the stack in the export: one for each version that still exists. */
  readonly states: number
  /** Whether the import writes the history, and so numbers the versions from 1. */
  readonly importsHistory: boolean
}

/** Reports whether an import changes numbers of versions, because the export lacks removed ones. */
function isRenumbered({ stack, action, states, importsHistory }: ImportPreview): boolean {
  return action === 'import' && importsHistory && states < stack.version
}

/** Formats the plan of an import as JSON. */
export function formatImportsAsJson(
  imports: readonly ImportPreview[],
  { imports: plannedSettings, manualSteps }: SettingsPlan,
): string {
  const stacks = imports.map(planned => {
    const { status, action, states } = planned
    const { id, resources, history, version } = planned.stack
    const counts = { resources, history, version, states }
    return { id, ...counts, status, action, isRenumbered: isRenumbered(planned) }
  })
  const settings = plannedSettings.map(({ group, noun, name, command }) => {
    return { kind: noun, name, group, ...(command === undefined ? {} : { command }) }
  })
  return JSON.stringify({ stacks, settings, manualSteps }, null, 2)
}

/** Formats the plan of an import as lines. No text of the export reaches a terminal unchanged. */
export function formatImports(
  imports: readonly ImportPreview[],
  { imports: settings, manualSteps }: SettingsPlan,
): readonly string[] {
  const rows = imports.map(({ stack, status, action }) => {
    const { id, resources, history, secrets } = stack
    const texts = [toPrintable(id, 300), String(resources), String(history)]
    return [...texts, toPrintable(secrets) || '-', status, action]
  })
  const isSkipped = imports.some(({ status, action }) => status === 'exists' && action === 'skip')
  const renumbered = imports.filter(isRenumbered)
  return [
    ...formatTable(['STACK', 'RESOURCES', 'HISTORY', 'SECRETS', 'STATUS', 'ACTION'], rows),
    ...(isSkipped
      ? ['', 'Existing stacks are skipped. Pass --overwrite to replace their state.']
      : []),
    ...(renumbered.length === 0 ? [] : ['', 'The import numbers these versions from 1:']),
    ...renumbered.map(({ stack: { id, version }, states }) => {
      return `- ${toPrintable(id, 300)}: the export has ${states} of ${version} versions`
    }),
    ...(settings.length === 0 ? [] : ['', 'Settings to import, schedules paused:']),
    ...settings.map(setting => `- ${toPrintable(describeSetting(setting), 20_000)}`),
    ...(manualSteps.length === 0 ? [] : ['', 'Not imported (run the commands in the export):']),
    ...manualSteps.map(step => `- ${toPrintable(step, 2_000)}`),
  ]
}

/** Describes a setting, with its command if it grants access or trust. */
function describeSetting({ group, noun, name, command }: PlannedSetting): string {
  const label = group === defaultGroup ? `${noun} ${name}` : `${noun} ${name} of the group ${group}`
  return command === undefined ? label : `${label}: ${command}`
}
