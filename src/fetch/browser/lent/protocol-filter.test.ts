// Tests which commands a client may send to a lent browser, with every known attack on the filter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Decision, decide, type Params } from './protocol-filter.ts'

const own = new Set<unknown>(['mine'])
const ofPage = { 'Sec-CH-UA': '"Chromium"', authorization: 'Bearer of-the-page', 'user-agent': 'kscrape' }
const judged = (
  method: string,
  params: Params = {},
  { mayBeBrowser = true, mayUseCredentials = true } = {},
): Decision =>
  decide(method, params, {
    ...{ mayBeBrowser, mayUseCredentials, isOwnSession: id => own.has(id) },
    headersOf: id => (id === 'paused' ? ofPage : {}),
  })
const isRefused = (method: string, params: Params = {}): boolean => judged(method, params).is === 'refuse'
const passed = (method: string, params: Params = {}): Params => {
  const decision = judged(method, params)
  assert.equal(decision.is, 'pass', `${method} ${JSON.stringify(decision)}`)
  return (decision as Decision & { is: 'pass' }).params
}

test('commands that read files, start programs or bypass the egress gate are refused', () => {
  const methods = [
    'Page.setDownloadBehavior',
    'DOM.getFileInfo',
    'FileSystem.getDirectory',
    'Extensions.loadUnpacked',
    'PWA.install',
    'PWA.launchFilesInApp',
    'Tethering.bind',
    'SystemInfo.getInfo',
    'SystemInfo.getProcessInfo',
    'Browser.getBrowserCommandLine',
    'Browser.executeBrowserCommand',
    'Browser.crash',
    'Browser.addMockCamera',
    'Target.exposeDevToolsProtocol',
    'Target.sendMessageToTarget',
    'Target.setRemoteLocations',
    'Target.autoAttachRelated',
    'Target.openDevTools',
    'Network.loadNetworkResource',
    'Network.setRequestInterception',
    'Page.addCompilationCache',
    'Page.startScreenRecording',
    'Cast.startTabMirroring',
    'Memory.getBrowserSamplingProfile',
    'Tracing.requestMemoryDump',
    'NoSuchDomain.method',
    'constructor',
  ]
  for (const method of methods) assert.ok(isRefused(method), method)
})

test('a client can load only web pages, however it writes the URL', () => {
  const urls = [
    'file:///etc/passwd',
    ' file:///etc/passwd',
    'FILE:///etc/passwd',
    'fi\tle:///etc/passwd',
    'view-source:file:///etc/passwd',
    'filesystem:http://a/temporary/x',
    'chrome://version',
    'chrome-extension://x/y',
    'devtools://devtools/bundled/inspector.html',
    'ftp://host/x',
    'isolated-app://x',
    '/etc/passwd',
    '',
  ]
  for (const url of urls) {
    assert.ok(isRefused('Page.navigate', { url }), url)
    if (url !== '') assert.ok(isRefused('Target.createTarget', { url }), url)
    assert.ok(isRefused('Fetch.continueRequest', { requestId: '1', url }), url)
  }
  for (const url of ['https://a.example/', 'about:blank', 'data:text/html,x', 'blob:http://a/1'])
    assert.deepEqual(passed('Page.navigate', { url }), { url })
  assert.equal(passed('Target.createTarget', {}).url, 'about:blank')
})

test('a request that the client redirects is checked like a navigation', () => {
  const decision = judged('Fetch.continueRequest', { requestId: '1', url: 'https://b.example/' })
  assert.ok(decision.is === 'pass' && decision.url === 'https://b.example/')
  assert.equal((judged('Fetch.continueRequest', { requestId: '1' }) as { url?: string }).url, undefined)
})

test('a client can neither upload nor drop files of the worker', () => {
  assert.ok(isRefused('DOM.setFileInputFiles', { files: ['/etc/passwd'], nodeId: 1 }))
  assert.ok(isRefused('DOM.setFileInputFiles', { files: '/etc/passwd' }))
  passed('DOM.setFileInputFiles', { files: [], nodeId: 1 })
  assert.ok(
    isRefused('Input.dispatchDragEvent', { type: 'drop', data: { items: [], files: ['/etc/passwd'] } }),
  )
  passed('Input.dispatchDragEvent', { type: 'drop', data: { items: [], dragOperationsMask: 1 } })
})

test('downloads are never written to disk, even if the client requests it', () => {
  const asked = { behavior: 'allow', downloadPath: '/tmp', eventsEnabled: true }
  assert.deepEqual(passed('Browser.setDownloadBehavior', asked), { behavior: 'deny', eventsEnabled: true })
})

test('a client cannot replace or bypass the proxy of a browser context', () => {
  for (const params of [
    { proxyServer: 'http://127.0.0.1:1' },
    { proxyBypassList: '*' },
    { originsWithUniversalNetworkAccess: ['https://a'] },
  ])
    assert.ok(isRefused('Target.createBrowserContext', params))
  assert.deepEqual(passed('Target.createBrowserContext', { disposeOnDetach: false }), {
    disposeOnDetach: true,
  })
})

test('every CDP session is flat, so that each command passes the filter', () => {
  assert.ok(isRefused('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false }))
  assert.equal(passed('Target.attachToTarget', { targetId: 'x', flatten: false }).flatten, true)
  assert.ok(isRefused('Target.detachFromTarget', { sessionId: 'of-our-guard' }))
  passed('Target.detachFromTarget', { sessionId: 'mine' })
})

test('a client cannot set the Host header or headers for the proxy', () => {
  assert.ok(isRefused('Network.setExtraHTTPHeaders', { headers: { HOST: 'denied.example' } }))
  assert.ok(isRefused('Network.setExtraHTTPHeaders', { headers: { 'Proxy-Authorization': 'x' } }))
  const headers = [
    { name: 'Host', value: 'denied.example' },
    { name: 'X-Own', value: '1' },
  ]
  assert.deepEqual(passed('Fetch.continueRequest', { requestId: '1', headers }).headers, [headers[1]])
})

test('a trace can record only the browser, not the rest of the machine', () => {
  assert.ok(isRefused('Tracing.start', { tracingBackend: 'system' }))
  assert.ok(isRefused('Tracing.start', { perfettoConfig: 'eA==' }))
  assert.equal(passed('Tracing.start', { transferMode: 'ReturnAsStream' }).tracingBackend, 'chrome')
})

test('a client without the scope browser_headers cannot set the user agent of a browser in any command', () => {
  const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0'
  const commands: Array<[method: string, params: Params]> = [
    ['Emulation.setUserAgentOverride', { userAgent: browser }],
    ['Network.setUserAgentOverride', { userAgent: browser }],
    ['Network.setExtraHTTPHeaders', { headers: { 'USER-AGENT': browser } }],
    ['Fetch.continueRequest', { requestId: '1', headers: [{ name: 'user-agent', value: browser }] }],
  ]
  for (const [method, params] of commands) {
    const refused = judged(method, params, { mayBeBrowser: false })
    assert.match(refused.is === 'refuse' ? refused.message : '', /scope "browser_headers"/, method)
    assert.equal(judged(method, params).is, 'pass', method)
    const honest = JSON.parse(JSON.stringify(params).replace(browser, 'my-bot/1.0')) as Params
    assert.equal(judged(method, honest, { mayBeBrowser: false }).is, 'pass', method)
  }
  // Playwright sets the language of a context with an empty user agent.
  assert.equal(
    judged('Emulation.setUserAgentOverride', { userAgent: '', acceptLanguage: 'de' }, { mayBeBrowser: false })
      .is,
    'pass',
  )
})

test('client hints of another browser need the consent for a browser', () => {
  const asHonest = { userAgent: 'my-bot/1.0' }
  const refused: Array<[string, Params]> = [
    [
      'Emulation.setUserAgentOverride',
      { ...asHonest, userAgentMetadata: { brands: [{ brand: 'Google Chrome', version: '140' }] } },
    ],
    ['Network.setExtraHTTPHeaders', { headers: { 'sec-ch-ua': '"Google Chrome"' } }],
    ['Fetch.continueRequest', { requestId: 'paused', headers: [{ name: 'Sec-CH-UA', value: '"Chrome"' }] }],
  ]
  for (const [method, params] of refused) {
    const decision = judged(method, params, { mayBeBrowser: false })
    assert.match(decision.is === 'refuse' ? decision.message : '', /scope "browser_headers"/, method)
    assert.equal(judged(method, params).is, 'pass')
  }
  // Playwright sends such client hints with every user agent.
  const platform = { ...asHonest, userAgentMetadata: { mobile: false, platform: 'Linux', architecture: '' } }
  assert.equal(judged('Emulation.setUserAgentOverride', platform, { mayBeBrowser: false }).is, 'pass')
})

test('headers with credentials, logins and cookies of a client need the consent for credentials', () => {
  const refused: Array<[string, Params]> = [
    ['Network.setExtraHTTPHeaders', { headers: { Authorization: 'Bearer x' } }],
    ['Network.setExtraHTTPHeaders', { headers: { accept: '*/*', 'X-Api-Key': 'x' } }],
    ['Fetch.continueRequest', { requestId: 'x', headers: [{ name: 'cookie', value: 'a=b' }] }],
    [
      'Fetch.continueRequest',
      { requestId: 'paused', headers: [{ name: 'Authorization', value: 'Bearer another' }] },
    ],
    [
      'Fetch.continueWithAuth',
      {
        requestId: 'x',
        authChallengeResponse: { response: 'ProvideCredentials', username: 'a', password: 'b' },
      },
    ],
    ['Network.setCookie', { name: 'a', value: 'b', url: 'http://a.example' }],
    ['Network.setCookies', { cookies: [{ name: 'a', value: 'b', url: 'http://a.example' }] }],
    ['Storage.setCookies', { cookies: [{ name: 'a', value: 'b', url: 'http://a.example' }] }],
  ]
  for (const [method, params] of refused) {
    const decision = judged(method, params, { mayUseCredentials: false })
    assert.match(decision.is === 'refuse' ? decision.message : '', /scope "credentials"/, method)
    assert.equal(judged(method, params).is, 'pass', method)
  }
  const cancelled = { requestId: 'x', authChallengeResponse: { response: 'CancelAuth' } }
  assert.equal(judged('Fetch.continueWithAuth', cancelled, { mayUseCredentials: false }).is, 'pass')
})

test('a client without consents may continue a request with the headers that the page set', () => {
  const headers = [
    { name: 'sec-ch-ua', value: '"Chromium"' },
    { name: 'Authorization', value: 'Bearer of-the-page' },
    { name: 'x-more', value: '1' },
  ]
  const params = { requestId: 'paused', headers }
  const none = { mayBeBrowser: false, mayUseCredentials: false }
  assert.equal(judged('Fetch.continueRequest', params, none).is, 'pass')
  assert.equal(judged('Fetch.continueRequest', { ...params, requestId: 'other' }, none).is, 'refuse')
})
