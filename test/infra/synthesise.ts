import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { createApp } from '../../infra/app.ts'
import { createAssets, projectRoot } from '../../infra/assets.ts'

/** A resource of a template. */
export interface Resource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
  readonly DeletionPolicy?: string
}

/** A policy statement. A single action or resource becomes a list of one. */
export interface Statement {
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly conditions: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The templates of an installation. The code of its functions is not bundled. */
export interface SynthesisedTemplates {
  readonly data: Template
  readonly main: Template
  /** Whether CloudFormation refuses to delete the data stack. */
  readonly isDataProtected: boolean
  /**
   * Returns the allowing statements of the role of a function or task. `roleName` is the name
   * without region, and without the installation unless it is the role of a group.
   */
  readonly listAllowStatements: (roleName: string) => readonly Statement[]
  /** Returns the denying statements of the role, which override the allowing ones. */
  readonly listDenyStatements: (roleName: string) => readonly Statement[]
  readonly resources: (type: string) => ReadonlyMap<string, Resource>
}

/** Returns the context of cdk.json, whose flags change the templates. */
export const readUsualContext = (): Record<string, unknown> =>
  (
    JSON.parse(readFileSync(join(projectRoot, 'cdk.json'), 'utf8')) as {
      context: Record<string, unknown>
    }
  ).context

/** Creates the templates of an installation with these settings, in memory and offline. */
export function synthesise(settings: Readonly<Record<string, unknown>> = {}): SynthesisedTemplates {
  const folder = mkdtempSync(join(tmpdir(), 'infra-'))
  try {
    const { installation } = createApp(
      {
        context: { ...readUsualContext(), ...toContext({ region: 'eu-central-1', ...settings }) },
        outdir: join(folder, 'out'),
        cdkNag: 'off',
      },
      () => createAssets('none', join(folder, 'bundles')),
    )
    const [data, main] = [installation.data, installation.main].map(stack =>
      Template.fromStack(stack),
    )
    if (data === undefined || main === undefined) throw new Error('no template')
    const isDataProtected = installation.data.terminationProtection === true
    return { ...createTemplates(data, main), isDataProtected }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns settings as context, each with the prefix `antichain:`. */
export const toContext = (settings: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [`antichain:${key}`, value]))

function createTemplates(
  data: Template,
  main: Template,
): Omit<SynthesisedTemplates, 'isDataProtected'> {
  const allResources: readonly (readonly [string, Resource])[] = [data, main].flatMap(template =>
    Object.entries((template.toJSON() as { Resources: Record<string, Resource> }).Resources),
  )
  const resources = (type: string): ReadonlyMap<string, Resource> =>
    new Map(allResources.filter(([, { Type }]) => Type === type))
  const listStatements = (roleName: string, effect: Effect): readonly Statement[] => {
    const role = [...resources('AWS::IAM::Role')].find(([, { Properties }]) =>
      `-${String(Properties['RoleName'])}`.endsWith(`-${roleName}-eu-central-1`),
    )
    if (role === undefined) throw new Error(`there is no role of ${roleName}`)
    const policies = [...resources('AWS::IAM::Policy').values()].filter(({ Properties }) =>
      JSON.stringify(Properties['Roles']).includes(`"${role[0]}"`),
    )
    return policies.flatMap(({ Properties }) =>
      parseStatements(Properties['PolicyDocument'], effect),
    )
  }
  return {
    data,
    main,
    resources,
    listAllowStatements: roleName => listStatements(roleName, 'Allow'),
    listDenyStatements: roleName => listStatements(roleName, 'Deny'),
  }
}

type Effect = 'Allow' | 'Deny'

/** Parses the statements with an effect. A computed resource becomes its JSON text. */
function parseStatements(document: unknown, effect: Effect): readonly Statement[] {
  const { Statement } = document as { Statement: Record<string, unknown>[] }
  return Statement.filter(({ Effect }) => Effect === effect).map(
    ({ Action, Resource, Condition }) => ({
      actions: listOf(Action).map(String),
      resources: listOf(Resource).map(resource =>
        typeof resource === 'string' ? resource : JSON.stringify(resource),
      ),
      conditions: (Condition ?? {}) as Statement['conditions'],
    }),
  )
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Returns the actions that statements allow on resources whose text contains `resourceText`. */
export const listActionsOn = (
  statements: readonly Statement[],
  resourceText: string,
): readonly string[] =>
  statements
    .filter(({ resources }) => resources.some(resource => resource.includes(resourceText)))
    .flatMap(({ actions }) => actions)
    .toSorted()
