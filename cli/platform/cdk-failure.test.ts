import { expect, test } from 'vitest'
import { cdkErrorOf } from './cdk-failure.ts'

const escape = String.fromCodePoint(27)

test.each([
  [
    'PLATFORM_CREDENTIALS_MISSING',
    'Unable to resolve AWS account to use. It must be either configured when you define your CDK Stack, or through the environment',
  ],
  [
    'PLATFORM_NOT_BOOTSTRAPPED',
    'antichain: SSM parameter /cdk-bootstrap/hnb659fds/version not found. Has the environment been bootstrapped?',
  ],
  [
    'PLATFORM_PERMISSION_MISSING',
    `${escape}[31mUser: arn:aws:iam::1:user/x is not authorized to perform: cloudformation:DescribeStacks on resource${escape}[0m`,
  ],
  [
    'PLATFORM_ENTRY_MISSING',
    "error[PLATFORM_ENTRY_MISSING]: the function 'api' has no functions/api/main.ts\n  hint: x",
  ],
  [
    'PLATFORM_SETTING_INVALID',
    'error[PLATFORM_SETTING_INVALID]: invalid settings: antichain:logDays: Invalid input',
  ],
  [
    'PLATFORM_IMAGE_TOOL_MISSING',
    "Unable to execute 'docker' in order to build a container asset.",
  ],
  [
    'PLATFORM_IMAGE_EMULATION_MISSING',
    '#7 0.312 exec /bin/sh: exec format error\nERROR: failed to solve: process "/bin/sh -c test" did not complete successfully: exit code: 255',
  ],
  [
    'PLATFORM_STACK_PROTECTED',
    'Stack [antichain-data] cannot be deleted while TerminationProtection is enabled',
  ],
  [
    'PLATFORM_STACK_BUSY',
    'Stack [antichain] is in UPDATE_IN_PROGRESS state and can not be updated',
  ],
  ['PLATFORM_FAILED', 'The stack named antichain failed to deploy: UPDATE_ROLLBACK_COMPLETE'],
])('the output of the CDK results in %s', (code, output) => {
  expect(cdkErrorOf(output)).toMatchObject({ code })
})

test('the message names the permission, the stack state and the entry point', () => {
  expect(cdkErrorOf('x is not authorized to perform: iam:PassRole on y').message).toBe(
    'the permission iam:PassRole is missing',
  )
  expect(cdkErrorOf('Stack is in DELETE_IN_PROGRESS state').message).toContain('DELETE_IN_PROGRESS')
  expect(cdkErrorOf("error[PLATFORM_ENTRY_MISSING]: the function 'api' has none").message).toBe(
    "the function 'api' has none",
  )
})

test('a missing bootstrap takes precedence over the denial that it caused', () => {
  const output =
    'could not be used to assume; AccessDenied reading SSM parameter. Has the environment been bootstrapped?'
  expect(cdkErrorOf(output).code).toBe('PLATFORM_NOT_BOOTSTRAPPED')
})

test('a warning of the CDK before a failure is not the reason of the failure', () => {
  const output =
    "current credentials could not be used to assume 'arn:aws:iam::1:role/deploy', but are for the right account. Proceeding anyway.\n" +
    'Stack [antichain] is in UPDATE_IN_PROGRESS state and can not be updated'
  expect(cdkErrorOf(output).code).toBe('PLATFORM_STACK_BUSY')
})
