import * as z from 'zod'
import { createRecordForm } from '../../shared/values/record-form.ts'
import { settingsOfSchedule } from '../remote/schedule-settings.ts'
import { settingNamePattern } from './exported-names.ts'

/**
 * A setting of an export: its name, and the value that the API shows, without secrets. Names are
 * those that documents accept, because they are parts of paths and of printed commands.
 */
export const exportedSettingForm = z.object({
  name: z.string().regex(settingNamePattern),
  value: z.looseObject({}),
})
type Value = z.infer<typeof exportedSettingForm>['value']

/** A kind of settings that an export has. */
export interface SettingKind {
  readonly path: string
  readonly noun: string
  /** Whether all groups share the settings. The file of the default group has them. */
  readonly isShared?: boolean
  /** Whether only functions of an API use the settings, and not a machine. */
  readonly needsApi?: boolean
  /** Whether a setting grants access or trusts an address, so that a user must see its command. */
  readonly grantsTrust?: boolean
  /** Returns the body that stores a setting. Undefined if it needs a secret or a file. */
  readonly createBody: (value: Value) => object | undefined
  /** Returns the command that stores a setting. */
  readonly describeCommand: (name: string, value: Value, group: string) => SettingCommand
}

/** A command that a user runs by hand. */
export interface SettingCommand {
  readonly args: readonly string[]
  readonly variables?: readonly ('ANTICHAIN_SECRET' | 'ANTICHAIN_CREDENTIAL')[]
}

const pause = (value: Value): Value => ({ ...value, isPaused: true })

/** Returns the body of a paused schedule. The source may still run the exported one. */
export function createScheduleBody(value: Value): object {
  return pause(settingsOfSchedule(value))
}

/** Returns the body of a notification. Undefined if it has a secret. */
export function createNotificationBody({ hasSecret, ...value }: Value): object | undefined {
  return hasSecret === false ? value : undefined
}

/** Returns the body of a setting. Undefined if it has a credential. */
function createBodyWithoutCredential({ hasCredential, ...value }: Value): object | undefined {
  return hasCredential === false ? value : undefined
}

/** Returns a text of an export. A text that a command would read as an option becomes ''. */
const readPlainText = (value: unknown): string => z.string().regex(/^[^-]/).catch('').parse(value)
const listOption = (name: string, value: unknown): readonly string[] =>
  readPlainText(value) === '' ? [] : [`--${name}`, readPlainText(value)]
const listPausedOption = ({ isPaused }: Value): readonly string[] =>
  isPaused === true ? ['--paused'] : []

/** Returns the command for a notification of all stacks, or of the stack `id`. */
export function describeNotificationCommand(
  name: string,
  value: Value,
  id?: string,
): SettingCommand {
  const events = listTexts(value['events'])
  return {
    args: [
      ...['notification', 'create', name, ...(id === undefined ? ['--all'] : ['--stack', id])],
      ...[...listOption('url', value['url']), ...listOption('format', value['format'])],
      ...[...listOption('events', events.join(',')), ...listPausedOption(value)],
    ],
    variables: ['ANTICHAIN_SECRET'],
  }
}

/** Describes the deliveries of a notification without a secret: their events and their receiver. */
export function describeDeliveries(value: Value): string {
  const names = ['filters', 'groups'].flatMap(field => listTexts(value[field]))
  const events = names.length > 0 ? names : listTexts(value['events'])
  const state = value['isPaused'] === true ? 'paused, ' : ''
  return `${state}unsigned deliveries of ${events.join(', ')} to ${readPlainText(value['url'])}`
}

const listTexts = (value: unknown): readonly string[] => z.array(z.string()).catch([]).parse(value)

const selectionForm = z.looseObject({
  projects: z.array(z.string()).default([]),
  tags: createRecordForm(z.string()).default({}),
  stacks: z.array(z.string()).default([]),
})

/** Returns the arguments that select the stacks of a policy pack. */
function describeSelection(value: unknown): readonly string[] {
  const { projects, tags, stacks } = selectionForm
    .catch({ projects: [], tags: {}, stacks: [] })
    .parse(value)
  const args = [
    ...stacks.flatMap(stack => ['--stack', `organization/${stack}`]),
    ...projects.flatMap(project => ['--project', project]),
    ...Object.entries(tags).flatMap(([name, tag]) => ['--tag', `${name}=${tag}`]),
  ]
  return args.length === 0 ? ['--all'] : args
}

const federationForm = z.looseObject({
  claims: createRecordForm(z.string()).default({}),
  stacks: z.array(z.string()).default([]),
  lifetimeSeconds: z.number().optional(),
})

function describeFederationCommand(name: string, value: Value): SettingCommand {
  const { claims, stacks, lifetimeSeconds } = federationForm
    .catch({ claims: {}, stacks: [] })
    .parse(value)
  return {
    args: [
      ...['federation', 'create', name, ...listOption('role', value['role'])],
      ...[...listOption('issuer', value['issuer']), ...listOption('audience', value['audience'])],
      ...Object.entries(claims).flatMap(([claim, pattern]) => ['--claim', `${claim}=${pattern}`]),
      ...stacks.flatMap(stack => ['--for', stack]),
      ...(lifetimeSeconds === undefined ? [] : ['--lifetime', `${lifetimeSeconds}s`]),
      ...listPausedOption(value),
    ],
  }
}

/**
 * Returns the path of the file that contains the rules of a webhook. The path is relative to the
 * folder of the export, in which a user runs the command for the webhook.
 */
export function rulesFileOf(group: string, name: string): string {
  return `rules/${group}/${name}.json`
}

/** The kinds of settings without a stack, by their names in an export. */
export const settingKinds: Readonly<Record<string, SettingKind>> = {
  webhooks: {
    path: '/v1/webhooks',
    noun: 'webhook',
    createBody: () => undefined,
    describeCommand: (name, value, group) => ({
      args: [
        ...['webhook', 'create', name, ...listOption('form', value['form'])],
        ...['--rules', rulesFileOf(group, name), ...listOption('api-url', value['apiUrl'])],
        ...listPausedOption(value),
      ],
      variables: [
        'ANTICHAIN_SECRET',
        ...(value['hasCredential'] === true ? (['ANTICHAIN_CREDENTIAL'] as const) : []),
      ],
    }),
  },
  notifications: {
    path: '/v1/notifications',
    noun: 'notification',
    grantsTrust: true,
    createBody: createNotificationBody,
    describeCommand: (name, value) => describeNotificationCommand(name, value),
  },
  schedules: {
    path: '/v1/schedules',
    noun: 'schedule',
    createBody: createScheduleBody,
    describeCommand: name => ({ args: ['schedule', 'create', name, '--all'] }),
  },
  policies: {
    path: '/v1/policies',
    noun: 'policy pack',
    needsApi: true,
    createBody: () => undefined,
    describeCommand: (name, value) => ({
      args: ['policy', 'attach', '<folder>', '--name', name, ...describeSelection(value['stacks'])],
    }),
  },
  pluginSources: {
    path: '/v1/plugin-sources',
    noun: 'plugin source',
    grantsTrust: true,
    needsApi: true,
    createBody: createBodyWithoutCredential,
    describeCommand: (_name, value) => ({
      args: ['plugin', 'allow', readPlainText(value['source'])],
      variables: ['ANTICHAIN_CREDENTIAL'],
    }),
  },
  packageRegistries: {
    path: '/v1/package-registries',
    noun: 'package registry',
    grantsTrust: true,
    needsApi: true,
    createBody: createBodyWithoutCredential,
    describeCommand: (name, value) => ({
      args: [
        ...['registry', 'set', name, readPlainText(value['address'])],
        ...[...listOption('manager', value['manager']), ...listOption('scope', value['scope'])],
        ...(value['runsScripts'] === true ? ['--run-scripts'] : []),
      ],
      variables: ['ANTICHAIN_CREDENTIAL'],
    }),
  },
  federations: {
    path: '/v1/federations',
    noun: 'federation rule',
    isShared: true,
    grantsTrust: true,
    createBody: pause,
    describeCommand: (name, value) => describeFederationCommand(name, pause(value)),
  },
}
