// Calls of /api/v1. Changes carry the session's CSRF token; errors are RFC 9457 problem documents.

let csrf = "";
export const setCsrf = (token) => { csrf = token || ""; };

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `HTTP ${status}`);
    this.status = status;
    this.code = problem.code || "";
    this.problem = problem;
  }
}

export async function call(method, path, body, { signal } = {}) {
  const response = await request(method, path, body, signal);
  return response.status === 204 ? null : response.json();
}

export async function request(method, path, body, signal) {
  const headers = {};
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/api/v1${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { code: "NO_GATEWAY", detail: "The gateway does not answer." });
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    if (response.status === 401) document.dispatchEvent(new CustomEvent("signed-out"));
    if (problem.code === "PASSWORD_AGAIN" && await passwordAgain()) return request(method, path, body, signal);
    throw new ApiError(response.status, problem);
  }
  return response;
}

// What two persons sign, and accounts, need the password of just now: asked for here, so that no panel has to.
async function passwordAgain() {
  const { askPassword } = await import("/static/panels/password.js");
  return askPassword();
}

// Reads a server-sent event stream from a POST: calls onEvent(name, data) for each event.
export async function stream(path, body, onEvent, signal) {
  const response = await request("POST", path, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer += value.replaceAll("\r\n", "\n");
    let end;
    while ((end = buffer.indexOf("\n\n")) >= 0) {
      const block = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      let name = "message";
      const data = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      if (data.length) onEvent(name, JSON.parse(data.join("\n")));
    }
  }
}
