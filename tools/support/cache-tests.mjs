// Runs the tests of a checkout of http-tests/cache-tests that concern private caches. See tools/cache-tests.
import { pathToFileURL } from 'node:url'

const [checkout, base] = process.argv.slice(2)
const load = path => import(pathToFileURL(`${checkout}/${path}`).href)
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')
const { default: suites } = await load('tests/index.mjs')

// Required tests that can't pass here, and why.
const date = 'the proxy\'s web framework writes Date into every response'
const excused = {
  'other-date-update': date,
  'other-date-update-expires': date,
  'invalidate-M-SEARCH': 'SwiftNIO sends the method as MSEARCH, which the origin refuses',
  'partial-use-headers': 'needs stored parts of a response; the cache stores none',
  'partial-use-stored-headers': 'needs stored parts of a response; the cache stores none'
}

// As for a browser: tests of shared caches and of content delivery networks are left out.
await runTests(suites, true, base)
const results = getResults()
const kinds = {}
const failed = []
for (const suite of suites) {
  for (const test of suite.tests) {
    if (!(test.id in results)) continue
    const kind = test.kind ?? 'required'
    const result = determineTestResult(suites, test.id, results)
    const hasPassed = result === resultTypes.pass || result === resultTypes.yes
    const count = kinds[kind] ??= { passed: 0, other: 0 }
    hasPassed ? count.passed++ : count.other++
    if (hasPassed) continue
    const reason = excused[test.id]
    console.log(`${result[2]} ${kind} ${test.id}: ${results[test.id][1]}${reason ? ` (excused: ${reason})` : ''}`)
    if (kind === 'required' && !reason) failed.push(test.id)
  }
}
for (const [kind, count] of Object.entries(kinds)) {
  console.log(`${kind}: ${count.passed} of ${count.passed + count.other}`)
}
process.exit(failed.length === 0 ? 0 : 1)
