const BASE_URL = process.env.API_URL ?? 'http://localhost:8080'
const REQUEST_TIMEOUT_MS = 10_000

export async function postJson(path: string, body: unknown): Promise<Response> {
  return fetch(BASE_URL + path, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
}

/** @deprecated use postJson */
export function sendLegacy(path: string): void {
  new Image().src = BASE_URL + '/v1' + path
}
