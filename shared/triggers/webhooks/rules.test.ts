import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesGlob, passesPatterns } from './glob.ts'
import type { ChangeEvent } from './repository-event.ts'
import { type Rule, ruleForm, findRuleMatches } from './rules.ts'

const commit = 'a'.repeat(40)
const push: ChangeEvent = {
  kind: 'push',
  repository: 'acme/shop',
  branch: 'main',
  commit,
  paths: ['infra/index.ts', 'docs/a.md'],
}
const tag: ChangeEvent = {
  kind: 'tag',
  repository: 'acme/shop',
  tag: 'v1.2.0',
  commit,
  paths: undefined,
}
const pull: ChangeEvent = {
  kind: 'pull-request',
  repository: 'acme/shop',
  number: 7,
  branch: 'main',
  isForeign: false,
  commit,
  paths: undefined,
}
const stack = 'organization/shop/prod'
const createRule = (fields: object): Rule =>
  ruleForm.parse({ on: 'push', repository: 'acme/shop', branches: ['main'], stack, ...fields })
const createRuleOn = (eventName: string, fields: object): Rule =>
  ruleForm.parse({ on: eventName, repository: 'acme/shop', stack, ...fields })
const doesMatch = (rule: Rule, event: ChangeEvent): boolean =>
  findRuleMatches([rule], event).length === 1

describe('patterns', () => {
  test.each<[string, string, boolean]>([
    ['main', 'main', true],
    ['main', 'mains', false],
    ['*', 'main', true],
    ['*', 'a/b', false],
    ['*', '', true],
    ['**', 'a/b/c', true],
    ['release/*', 'release/1', true],
    ['release/*', 'release/1/2', false],
    ['release/**', 'release/1/2', true],
    ['release/**', 'release', false],
    ['**/x.ts', 'x.ts', true],
    ['**/x.ts', 'a/b/x.ts', true],
    ['**/x.ts', 'ax.ts', false],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['v?.?', 'v1.2', true],
    ['v?.?', 'v1/2', false],
    ['*.md', '.md', true],
    ['*.md', '.github/x.md', false],
    ['a.c', 'abc', false],
    ['(a+)+', '(a+)+', true],
    ['[ab]', 'a', false],
    ['', '', true],
    ['', 'a', false],
    ['ü?', 'ü😀', true],
  ])('whether the pattern %j matches %j: %j', (pattern, text, isMatch) => {
    expect(matchesGlob(pattern, text)).toBe(isMatch)
  })

  test.each<[readonly string[], string, boolean]>([
    [[], 'a', true],
    [['!docs/**'], 'docs/a', false],
    [['!docs/**'], 'src/a', true],
    [['**', '!docs/**'], 'docs/a', false],
    [['**', '!docs/**', 'docs/keep'], 'docs/keep', true],
    [['src/**'], 'docs/a', false],
  ])('the last pattern of %j that matches %j decides: %j', (patterns, text, isPassed) => {
    expect(passesPatterns(patterns, text)).toBe(isPassed)
  })

  test('matching is fast for every pattern and text', () => {
    const began = performance.now()
    expect(matchesGlob('*a'.repeat(90), `${'a'.repeat(4000)}b`)).toBe(false)
    expect(matchesGlob('**/'.repeat(60), `${'a/'.repeat(2000)}b`)).toBe(false)
    expect(performance.now() - began).toBeLessThan(2000)
  })

  const letter = fc.constantFrom('a', 'b', '/', '.')
  const text = fc.array(letter, { maxLength: 8 }).map(letters => letters.join(''))
  const pattern = fc
    .array(fc.constantFrom('a', 'b', '/', '.', '*', '**', '**/', '?'), { maxLength: 6 })
    .map(tokens => tokens.join(''))

  test('a pattern matches the same texts as its regular expression', () => {
    const toExpression = (globPattern: string): RegExp => {
      const parts = (globPattern.match(/\*\*\/|\*\*|[\s\S]/g) ?? []).map(token => {
        if (token === '**/') return '(?:.*/)?'
        if (token === '**') return '.*'
        if (token === '*') return '[^/]*'
        return token === '?' ? '[^/]' : `\\${token}`.replace(/\\([ab])/, '$1')
      })
      return new RegExp(`^${parts.join('')}$`)
    }
    fc.assert(
      fc.property(pattern, text, (input, candidate) => {
        expect(matchesGlob(input, candidate)).toBe(toExpression(input).test(candidate))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('rules', () => {
  test('a push requests the operation on the stack, with the commit and the folder', () => {
    expect(findRuleMatches([createRule({ folder: 'infra' })], push)).toEqual([
      {
        stack,
        operation: 'up',
        program: {
          kind: 'commit',
          repository: 'acme/shop',
          commit,
          folder: 'infra',
          ignoreScripts: false,
        },
        ref: 'branch main',
        replyTarget: { repository: 'acme/shop', commit },
      },
    ])
  })

  test('a rule that ignores scripts requests an installation without them', () => {
    expect(findRuleMatches([createRule({ ignoreScripts: true })], push)).toMatchObject([
      { program: { kind: 'commit', ignoreScripts: true } },
    ])
  })

  test('a pull request requests a preview with a reply to the pull request', () => {
    expect(findRuleMatches([createRuleOn('pull-request', {})], pull)).toMatchObject([
      { operation: 'preview', replyTarget: { commit, pullRequest: 7 } },
    ])
  })

  test.each([true, false])(
    'a preview may use the role of deployments if its rule allows it: %s',
    previewWithDeployRole => {
      const pushRule = createRule({ operation: 'preview', previewWithDeployRole })
      const programs = [
        ...findRuleMatches([createRuleOn('pull-request', { previewWithDeployRole })], pull),
        ...findRuleMatches([pushRule], push),
      ].map(({ program }) => program)
      const expected = { kind: 'commit', previewWithDeployRole }
      expect(programs).toMatchObject([expected, expected])
    },
  )

  test.each<[string, Rule, ChangeEvent, boolean]>([
    ['the branch', createRule({}), push, true],
    ['another branch', createRule({ branches: ['dev'] }), push, false],
    ['a branch pattern', createRule({ branches: ['dev', 'm*'] }), push, true],
    ['a branch that is excluded', createRule({ branches: ['**', '!main'] }), push, false],
    ['another repository', createRule({ repository: 'acme/other' }), push, false],
    ['every repository of an owner', createRule({ repository: 'acme/*' }), push, true],
    [
      'a repository with a longer name',
      createRule({}),
      { ...push, repository: 'acme/shops' },
      false,
    ],
    ['a changed path that matches', createRule({ paths: ['infra/**'] }), push, true],
    ['no path that matches', createRule({ paths: ['app/**'] }), push, false],
    ['a path that is not excluded', createRule({ paths: ['!docs/**'] }), push, true],
    ['only excluded paths', createRule({ paths: ['!docs/**', '!infra/**'] }), push, false],
    ['unknown paths', createRule({ paths: ['app/**'] }), { ...push, paths: undefined }, true],
    ['no changed path at all', createRule({ paths: ['app/**'] }), { ...push, paths: [] }, false],
    ['a tag', createRuleOn('tag', { tags: ['v*'] }), tag, true],
    ['another tag', createRuleOn('tag', { tags: ['w*'] }), tag, false],
    ['a tag by a branch rule', createRule({ branches: ['**'] }), tag, false],
    ['a push by a tag rule', createRuleOn('tag', { tags: ['**'] }), push, false],
    ['a pull request by a branch rule', createRule({ branches: ['**'] }), pull, false],
    ['a pull request', createRuleOn('pull-request', {}), pull, true],
    [
      'a pull request into another branch',
      createRuleOn('pull-request', { branches: ['dev'] }),
      pull,
      false,
    ],
    [
      'a pull request from a fork',
      createRuleOn('pull-request', {}),
      { ...pull, isForeign: true },
      false,
    ],
    [
      'a pull request from a fork that the rule allows',
      createRuleOn('pull-request', { forks: true }),
      { ...pull, isForeign: true },
      true,
    ],
  ])('whether a rule applies to an event: %s (%#)', (_name, rule, event, isMatch) => {
    expect(doesMatch(rule, event)).toBe(isMatch)
  })

  test.each([
    { folder: '/etc' },
    { folder: '..' },
    { folder: 'a/../..' },
    { folder: 'a/..' },
    { folder: './a' },
    { folder: 'a//b' },
    { folder: 'a\\b' },
    { folder: 'a\nb' },
    { stack: 'shop/prod' },
    { stack: 'organization/shop/../x' },
    { branches: [] },
    { branches: ['x'.repeat(201)] },
    { operation: 'import' },
    { unknown: 1 },
    { on: 'pull-request', branches: [], operation: 'up' },
  ])('a rule with %j is refused', input => {
    expect(() => createRule(input)).toThrow()
  })

  test.each(['', 'infra', 'a/b.c/d', '.github', '...', 'a/..b'])('%j is a valid folder', folder => {
    expect(createRule({ folder })).toMatchObject({ folder })
  })

  const someBranch = fc.constantFrom('main', 'dev', 'release/1')
  const someRule = fc
    .record({
      branches: fc.array(fc.constantFrom('main', 'dev', '**', '!dev', 'release/*'), {
        minLength: 1,
        maxLength: 3,
      }),
      stack: fc.constantFrom('organization/a/1', 'organization/a/2', 'organization/a/3'),
      paths: fc.array(fc.constantFrom('infra/**', '!docs/**', '*.md'), { maxLength: 2 }),
      operation: fc.constantFrom('up', 'refresh', 'preview'),
    })
    .map(fields => createRule(fields))
  const someEvent = fc
    .record({
      branch: someBranch,
      paths: fc.option(fc.array(fc.constantFrom('infra/a', 'docs/b', 'x.md'), { maxLength: 3 }), {
        nil: undefined,
      }),
    })
    .map(fields => ({ ...push, ...fields }))

  test('a stack is requested at most once, by its first matching rule', () => {
    fc.assert(
      fc.property(fc.array(someRule, { maxLength: 8 }), someEvent, (rules, event) => {
        const matches = findRuleMatches(rules, event)
        expect(new Set(matches.map(({ stack }) => stack)).size).toBe(matches.length)
        for (const match of matches) {
          const first = rules.find(rule => rule.stack === match.stack && doesMatch(rule, event))
          expect(match.operation).toBe(first?.operation)
        }
        const matching = new Set(
          rules.filter(rule => doesMatch(rule, event)).map(rule => rule.stack),
        )
        expect(new Set(matches.map(({ stack }) => stack))).toEqual(matching)
      }),
    )
  })

  test('rules of other stacks have no effect, and an additional changed file removes no deployment', () => {
    fc.assert(
      fc.property(
        fc.array(someRule, { maxLength: 6 }),
        someRule,
        someEvent,
        (rules, addedRule, event) => {
          const listOtherMatches = (list: readonly Rule[], change: ChangeEvent) =>
            findRuleMatches(list, change).filter(match => match.stack !== addedRule.stack)
          expect(listOtherMatches([addedRule, ...rules], event)).toEqual(
            listOtherMatches(rules, event),
          )
          const widerEvent = event.paths && { ...event, paths: [...event.paths, 'other/file'] }
          const before = new Set(findRuleMatches(rules, event).map(match => match.stack))
          const after = new Set(
            findRuleMatches(rules, widerEvent ?? event).map(match => match.stack),
          )
          expect([...before].filter(stackId => !after.has(stackId))).toEqual([])
        },
      ),
    )
  })
})
