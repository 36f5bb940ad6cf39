internal import Platform

/// The sanitizer of this build, if any.
package enum Sanitizer {
    /// Whether a sanitizer is active: it moves stacks and replaces `mlock` by a function without effect.
    package static let isActive = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
        unsafe dlsym(dlopen(nil, RTLD_LAZY), symbol) != nil
    }
}
