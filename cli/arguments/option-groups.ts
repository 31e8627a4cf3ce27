import { type Command, Help, type HelpConfiguration, type Option } from 'commander'
import { commandPathOf } from './examples.ts'

/** The help groups of options in help order, with the attribute names of their options. */
const optionGroups: Readonly<Record<string, readonly string[]>> = {
  'Targets:': [
    'target',
    'targetDependents',
    'exclude',
    'excludeDependents',
    'excludeProtected',
    'replace',
    'targetReplace',
  ],
  'Refresh:': [
    'refresh',
    'runProgram',
    'clearPendingCreates',
    'skipPendingCreates',
    'importPendingCreates',
  ],
  'Plans and policies:': [
    'plan',
    'strict',
    'savePlan',
    'importFile',
    'policyPack',
    'policyPackConfig',
  ],
  'Installation:': ['installation', 'region', 'profile'],
  'Checks:': ['protocol', 'only', 'type', 'timeout'],
  'Schedule:': ['kind', 'cron', 'once', 'operation', 'autoRemediate', 'deleteAfterDestroy'],
  'Events:': ['event', 'group', 'addEvent', 'removeEvent', 'addGroup', 'removeGroup'],
  'Deliveries:': ['url', 'hookFormat', 'secret', 'active'],
  'Configuration:': [
    'config',
    'configPath',
    'configFile',
    'skipConfigValidation',
    'env',
    'secretsProvider',
    'webhookUrl',
    'packages',
  ],
  'Safety:': ['expectNoChanges', 'ignoreProtect'],
  'Execution:': [
    'parallel',
    'release',
    'wait',
    'execute',
    'functionLimit',
    'client',
    'attachDebugger',
  ],
  'Display:': [
    'diff',
    'json',
    'eventLog',
    'showSames',
    'showReads',
    'showReplacementSteps',
    'showPolicyRemediations',
    'showConfig',
    'showSecrets',
    'suppressOutputs',
    'urns',
    'debug',
    'output',
    'junit',
  ],
}
const generalGroup = 'General:'
const groupOrder = [generalGroup, ...Object.keys(optionGroups)]

/** The paths of the commands with so many options that their help needs groups. */
const groupedCommands: readonly string[] = [
  'up',
  'watch',
  'preview',
  'refresh',
  'destroy',
  'import',
  'resume',
  'platform verify',
  'provider check',
  'stack schedule new',
  'stack schedule edit',
  'stack webhook new',
  'stack webhook edit',
]

/** Assigns a help group to each option of a command in `groupedCommands`. */
export function groupOptions(command: Command): void {
  if (!groupedCommands.includes(commandPathOf(command))) return
  for (const option of command.options) {
    const name = option.attributeName()
    const group = Object.entries(optionGroups).find(([, names]) => names.includes(name))
    option.helpGroup(group?.[0] ?? generalGroup)
  }
}

/** The help settings: groups in the order of `optionGroups`, and global options below them. */
export const groupedHelp: HelpConfiguration = {
  showGlobalOptions: true,
  visibleGlobalOptions: globalOptionsOf,
  optionDescription(option) {
    return new Help().optionDescription(option).replace('preset: ', 'without a value: ')
  },
  groupItems(unsortedItems, visibleItems, headingOf) {
    const isGrouped = unsortedItems.some(item => groupOrder.includes(headingOf(item)))
    const groups = new Help().groupItems(unsortedItems, visibleItems, item => {
      const heading = headingOf(item)
      return isGrouped && heading === 'Options:' ? generalGroup : heading
    })
    return new Map([...groups].sort(([a], [b]) => groupOrder.indexOf(a) - groupOrder.indexOf(b)))
  },
}

/** Returns the options of the root command, and --config-file for subcommands of `config`. */
function globalOptionsOf({ parent }: Command): Option[] {
  if (parent === null) return []
  const parentOptions = parent.options.filter(
    option => !option.hidden && (parent.parent === null || option.attributeName() === 'configFile'),
  )
  return [...parentOptions, ...globalOptionsOf(parent)]
}
