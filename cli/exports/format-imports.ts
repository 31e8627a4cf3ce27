import { defaultGroup } from '../../shared/config/stack-groups.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { formatTable } from '../display/table.ts'
import type { ImportStatus } from './import-stack.ts'
import { describeAudit, describeOmittedAudit, type PlannedAudit } from './import-audit.ts'
import type { SettingsPlan } from './import-settings.ts'
import type { ExportedStack } from './manifest.ts'
import type { PlannedSetting } from './planned-setting.ts'

/** Maximum numbers of printed characters of texts from an export. */
const charsMax = { stackId: 300, setting: 20_000, audit: 1_000, step: 2_000 } as const

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

/** The parts of an import other than its stacks. */
export interface ImportAdditions extends SettingsPlan {
  /** The settings of the stacks that are imported. */
  readonly stackSettings: readonly PlannedSetting[]
  readonly audit: PlannedAudit | undefined
}

/**
 * Reports whether an import gives versions new numbers, because the source had removed some
 * versions before the export.
 */
function isRenumbered({ stack, action, states, importsHistory }: ImportPreview): boolean {
  return action === 'import' && importsHistory && states < stack.version
}

/** Formats the plan of an import as JSON. */
export function formatImportsAsJson(
  imports: readonly ImportPreview[],
  { imports: installationSettings, stackSettings, manualSteps, audit }: ImportAdditions,
): string {
  const stacks = imports.map(planned => {
    const { status, action, states } = planned
    const { id, resources, history, version } = planned.stack
    const counts = { resources, history, version, states }
    return { id, ...counts, status, action, isRenumbered: isRenumbered(planned) }
  })
  const settings = [...installationSettings, ...stackSettings].map(
    ({ group, stack, noun, name, command, effect }) => ({
      kind: noun,
      name,
      group,
      ...(stack === undefined ? {} : { stack }),
      ...(command === undefined ? {} : { command }),
      ...(effect === undefined ? {} : { effect }),
    }),
  )
  const auditJson =
    audit === undefined
      ? {}
      : {
          audit: {
            source: audit.source,
            entries: audit.entries.length,
            omitted: audit.omitted,
            action: audit.isImported ? 'skip' : 'import',
          },
        }
  return JSON.stringify({ stacks, settings, ...auditJson, manualSteps }, null, 2)
}

/** Formats the plan of an import as lines. No text of the export reaches a terminal unchanged. */
export function formatImports(
  imports: readonly ImportPreview[],
  { imports: installationSettings, stackSettings, manualSteps, audit }: ImportAdditions,
): readonly string[] {
  const settings = [...installationSettings, ...stackSettings]
  const auditText = describeAudit(audit)
  const steps = [...manualSteps, ...describeOmittedAudit(audit)]
  const rows = imports.map(({ stack, status, action }) => {
    const { id, resources, history, secrets } = stack
    const texts = [toPrintable(id, charsMax.stackId), String(resources), String(history)]
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
      return `- ${toPrintable(id, charsMax.stackId)}: the export has ${states} of ${version} versions`
    }),
    ...(settings.length === 0
      ? []
      : ['', 'Settings to import, schedules and federation rules paused:']),
    ...settings.map(setting => `- ${toPrintable(describeSetting(setting), charsMax.setting)}`),
    ...(auditText === undefined ? [] : ['', 'To append to the audit log of the target:']),
    ...(auditText === undefined ? [] : [`- ${toPrintable(auditText, charsMax.audit)}`]),
    ...(steps.length === 0 ? [] : ['', 'Not imported (run the commands in the export):']),
    ...steps.map(step => `- ${toPrintable(step, charsMax.step)}`),
  ]
}

/** Describes a setting, with its command if it grants access or trust. */
function describeSetting(setting: PlannedSetting): string {
  const { group, stack, noun, name, command, effect } = setting
  const detail = command ?? effect
  const label = name === '' ? noun : `${noun} ${name}`
  const ownerText =
    stack === undefined ? (group === defaultGroup ? '' : ` of the group ${group}`) : ` of ${stack}`
  return `${label}${ownerText}${detail === undefined ? '' : `: ${detail}`}`
}
