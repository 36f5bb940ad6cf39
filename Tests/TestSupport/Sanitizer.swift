internal import Platform

/// The sanitizer that this process was built with, if any.
package enum Sanitizer {
    /// Whether there is one: it moves stacks elsewhere and replaces `mlock` by a function that does nothing.
    package static let isActive = ["__asan_init", "__tsan_init"].contains { (symbol: String) in
        unsafe dlsym(dlopen(nil, RTLD_LAZY), symbol) != nil
    }
}
