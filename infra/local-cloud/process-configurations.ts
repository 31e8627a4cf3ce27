import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { createAssets } from '../assets.ts'
import { createInstallation } from '../installation.ts'
import type { Settings } from '../settings.ts'
import {
  resolveIntrinsics,
  type Template,
  type TemplateResource,
  type TemplateValues,
} from './resolve-intrinsics.ts'

/** A statement of a policy. */
export interface PolicyStatement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: Readonly<
    Record<string, Readonly<Record<string, string | readonly string[]>>>
  >
}

/** The policy of a resource, which names who may use it. */
export interface ResourcePolicy {
  readonly Version: string
  readonly Statement: readonly (PolicyStatement & { readonly Principal: unknown })[]
}

/** The configuration that the template gives to a function or to a task of the long pool. */
export interface ProcessConfiguration {
  /** The name of the role, without its path. */
  readonly role: string
  readonly statements: readonly PolicyStatement[]
  /** The policy of the key for secrets, without which no role may use the key. */
  readonly keyPolicy: ResourcePolicy
  readonly variables: Readonly<Record<string, string>>
  /** Whether a chain of calls may lead back to the function without limit. */
  readonly allowsRecursion: boolean
}

/** Configurations by the full name of a function, or by the family of a task. */
export type ProcessConfigurations = ReadonlyMap<string, ProcessConfiguration>

/** The account, the queues and the secrets key of a local cloud. */
export interface LocalResources {
  readonly account: string
  readonly region: string
  /** Returns the URL of a queue by its name. */
  readonly queueUrlOf: (name: string) => string
  /** The ARN of the default group's key for secrets. */
  readonly secretsKey: string
  /** The ARN of each group's key for secrets, by the prefix of the group's resource names. */
  readonly groupKeys?: ReadonlyMap<string, string>
}

/**
 * Synthesizes the templates of an installation, and returns the configurations of its functions and
 * tasks. So a variable or permission that is missing in the template is missing in the local cloud,
 * too. Writes to a temporary folder, and removes the folder.
 */
export function readProcessConfigurations(
  settings: Settings,
  localResources: LocalResources,
): ProcessConfigurations {
  const { data, main } = synthesizeTemplates(settings)
  const values = createTemplateValues(localResources)
  const resolve = (value: unknown): unknown => resolveIntrinsics(value, [main, data], values)
  const statements = groupStatementsByRole(main)
  const keyPolicy = resolveIntrinsics(
    keyPolicyOf(data) ?? defaultKeyPolicyOf(localResources.account),
    [data],
    values,
  ) as ResourcePolicy
  const createConfiguration = (
    roleReference: unknown,
    variables: unknown,
    recursiveLoop?: unknown,
  ): ProcessConfiguration => {
    const [roleId = ''] = (roleReference as { readonly 'Fn::GetAtt': readonly string[] })[
      'Fn::GetAtt'
    ]
    return {
      role: String(resolve(main.Resources[roleId]?.Properties?.['RoleName'])),
      statements: resolve(statements.get(roleId) ?? []) as readonly PolicyStatement[],
      keyPolicy,
      variables: resolve(variables) as Readonly<Record<string, string>>,
      allowsRecursion: recursiveLoop === 'Allow',
    }
  }
  const configurations = new Map<string, ProcessConfiguration>()
  for (const { Type, Properties = {} } of Object.values(main.Resources)) {
    if (Type === 'AWS::Lambda::Function') {
      const { Variables = {} } = (Properties['Environment'] ?? {}) as { Variables?: unknown }
      const functionName = String(resolve(Properties['FunctionName']))
      configurations.set(
        functionName,
        createConfiguration(Properties['Role'], Variables, Properties['RecursiveLoop']),
      )
    }
    if (Type === 'AWS::ECS::TaskDefinition')
      configurations.set(
        String(resolve(Properties['Family'])),
        createConfiguration(Properties['TaskRoleArn'], taskVariablesOf(Properties)),
      )
  }
  return configurations
}

/**
 * Synthesizes the templates of both stacks. Omits bundles and the checks of cdk-nag, because no
 * caller reads their results. `data`: the stack of the durable resources.
 */
function synthesizeTemplates(settings: Settings): {
  readonly data: Template
  readonly main: Template
} {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-template-'))
  try {
    const app = new App({ analyticsReporting: false, outdir: join(folder, 'out') })
    const assets = createAssets('none', join(folder, 'assets'))
    const { data, main } = createInstallation(app, settings, assets)
    const assembly = app.synth()
    const readTemplate = (name: string): Template =>
      assembly.getStackByName(name).template as Template
    return { data: readTemplate(data.stackName), main: readTemplate(main.stackName) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the policy that KMS gives to a key by default: IAM policies of the account decide. */
const defaultKeyPolicyOf = (account: string): object => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: `arn:aws:iam::${account}:root` },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
})

/** Returns the policy of the key for secrets. Undefined if the templates contain no such key. */
function keyPolicyOf(data: Template): unknown {
  const key = Object.values(data.Resources).find(
    ({ Type, Properties }) =>
      Type === 'AWS::KMS::Key' && isSecretsKey(String(Properties?.['Description'])),
  )
  return key?.Properties?.['KeyPolicy']
}

/**
 * Reports whether a description is that of the key for secrets. The other key encrypts data at
 * rest, and only AWS services use it.
 */
const isSecretsKey = (description: string): boolean => description.includes('secrets')

/** Returns the statements of inline policies by the logical id of their role. */
function groupStatementsByRole(main: Template): ReadonlyMap<string, readonly unknown[]> {
  const statements = new Map<string, readonly unknown[]>()
  for (const { Type, Properties } of Object.values(main.Resources)) {
    if (Type !== 'AWS::IAM::Policy') continue
    const { PolicyDocument, Roles = [] } = Properties as {
      readonly PolicyDocument: { readonly Statement: readonly unknown[] }
      readonly Roles?: readonly { readonly Ref: string }[]
    }
    for (const { Ref } of Roles)
      statements.set(Ref, [...(statements.get(Ref) ?? []), ...PolicyDocument.Statement])
  }
  return statements
}

function taskVariablesOf(properties: Readonly<Record<string, unknown>>): object {
  const [container] = properties['ContainerDefinitions'] as readonly {
    readonly Environment?: readonly { readonly Name: string; readonly Value: unknown }[]
  }[]
  return Object.fromEntries((container?.Environment ?? []).map(({ Name, Value }) => [Name, Value]))
}

function createTemplateValues(localResources: LocalResources): TemplateValues {
  const { account, region, queueUrlOf, secretsKey, groupKeys } = localResources
  // The description of a key begins with the prefix of the names of its group's resources.
  const secretsKeyOf = (description: string): string =>
    groupKeys?.get(description.split(':')[0] ?? '') ?? secretsKey
  const location = `${region}:${account}`
  const nameOf = ({ Properties = {} }: TemplateResource, property: string): string =>
    String(Properties[property])
  const arnOfType: Readonly<Record<string, (resource: TemplateResource) => string>> = {
    'AWS::DynamoDB::GlobalTable': resource =>
      `arn:aws:dynamodb:${location}:table/${nameOf(resource, 'TableName')}`,
    'AWS::IAM::Role': resource => `arn:aws:iam::${account}:role/${nameOf(resource, 'RoleName')}`,
    'AWS::KMS::Key': resource =>
      isSecretsKey(nameOf(resource, 'Description'))
        ? secretsKeyOf(nameOf(resource, 'Description'))
        : `arn:aws:kms:${location}:key/at-rest`,
    'AWS::Lambda::Function': resource =>
      `arn:aws:lambda:${location}:function:${nameOf(resource, 'FunctionName')}`,
    'AWS::Logs::LogGroup': resource =>
      `arn:aws:logs:${location}:log-group:${nameOf(resource, 'LogGroupName')}:*`,
    'AWS::S3::Bucket': resource => `arn:aws:s3:::${nameOf(resource, 'BucketName')}`,
    'AWS::SQS::Queue': resource => `arn:aws:sqs:${location}:${nameOf(resource, 'QueueName')}`,
  }
  const nameProperties: Readonly<Record<string, string>> = {
    'AWS::DynamoDB::GlobalTable': 'TableName',
    'AWS::IAM::Role': 'RoleName',
    'AWS::Lambda::Function': 'FunctionName',
    'AWS::Logs::LogGroup': 'LogGroupName',
    'AWS::S3::Bucket': 'BucketName',
  }
  return {
    parameters: {
      'AWS::AccountId': account,
      'AWS::Partition': 'aws',
      'AWS::Region': region,
      'AWS::URLSuffix': 'amazonaws.com',
    },
    refOf: (resource, logicalId) => {
      if (resource.Type === 'AWS::SQS::Queue') return queueUrlOf(nameOf(resource, 'QueueName'))
      const nameProperty = nameProperties[resource.Type]
      return nameProperty === undefined ? logicalId : nameOf(resource, nameProperty)
    },
    arnOf: (resource, logicalId) => {
      const arn = arnOfType[resource.Type]?.(resource)
      if (arn === undefined) throw new Error(`the local cloud knows no ARN of ${logicalId}`)
      return arn
    },
  }
}
